import { sessionMachine, type Status } from "../../core/index.js";

/** What a person can want of a session, as the machine calls it. */
export type RequestName =
  "start_session" | "send_message" | "interrupt" | "cancel_session" | "resume_session" | "retry";

const ROWS = new Map(sessionMachine.description.rows.map((row) => [row.event, row.cells]));

/** Whether the machine accepts a request in a status: from its own table. */
export function accepts(status: Status, request: RequestName): boolean {
  const rule = ROWS.get(request)?.[status]?.rule;
  return rule !== undefined && !rule.startsWith("refuse");
}

/** Makes a request that is sent twice happen once. Not every page is in a secure context, where `randomUUID` is. */
export function newClientId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
