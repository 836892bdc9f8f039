import { sessionMachine, type Status } from "../../core/index.js";

/** One way from a status to another, and the events that can take it. */
export interface Edge {
  readonly from: Status;
  readonly to: Status;
  readonly events: readonly string[];
}

/** Every way that the machine's table has: there is no second list. */
export function machineEdges(): readonly Edge[] {
  const { columns, rows } = sessionMachine.description;
  return columns.flatMap((from) =>
    columns.flatMap((to) => {
      const events = rows.filter(({ cells }) => cells[from]?.to.includes(to)).map(({ event }) => event);
      if (from === to || events.length === 0) return [];
      // The columns of this machine are its statuses.
      return [{ from: from as Status, to: to as Status, events }];
    }),
  );
}
