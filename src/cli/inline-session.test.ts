import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sessionDetail } from "../../test/cli/wire-values.js";
import type { Client } from "../client/client.js";
import { SignalboxError } from "../client/signalbox-error.js";
import type { SessionDetail } from "../protocol/session.js";
import { InlineSessions } from "./inline-session.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-inline-"));
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 5 }));

function sessions(session: Partial<SessionDetail> | Error): InlineSessions {
  const getSession = (id: string): Promise<SessionDetail> =>
    session instanceof Error
      ? Promise.reject(session)
      : Promise.resolve(sessionDetail({ id, cwd: "/a", status: "completed", model: "m", ...session }));
  // Only this call is made.
  return new InlineSessions({ getSession } as unknown as Client, folder);
}

test("a folder's session is found again, as long as it rests and has the wanted model", async () => {
  expect(await sessions({}).find("/a", undefined)).toBeNull();
  await sessions({}).remember("/a", "s1");
  expect(await sessions({}).find("/a", undefined)).toMatchObject({ id: "s1" });
  expect(await sessions({}).find("/a", "m")).toMatchObject({ id: "s1" });
  expect(await sessions({}).find("/a", "other")).toBeNull();
  expect(await sessions({}).find("/b", undefined)).toBeNull();
  for (const status of ["paused", "error", "stopped"] as const)
    expect(await sessions({ status }).find("/a", undefined)).toMatchObject({ id: "s1" });
  for (const status of ["creating", "streaming", "waiting_approval", "waiting_input"] as const)
    expect(await sessions({ status }).find("/a", undefined)).toBeNull();
  expect(await sessions({ cwd: "/c" }).find("/a", undefined)).toBeNull();
  await sessions({}).remember("/a", "s2");
  expect(await sessions({}).find("/a", undefined)).toMatchObject({ id: "s2" });
});

test("one that was deleted is none; any other trouble is told", async () => {
  await sessions({}).remember("/a", "s1");
  const gone = new SignalboxError({ code: "session_not_found", status: 404, detail: "gone" });
  expect(await sessions(gone).find("/a", undefined)).toBeNull();
  await expect(sessions(new Error("broken")).find("/a", undefined)).rejects.toThrow("broken");
});

test("a broken file remembers nothing", async () => {
  await sessions({}).remember("/a", "s1");
  const [name = ""] = await readdir(join(folder, "inline"));
  await writeFile(join(folder, "inline", name), "{");
  expect(await sessions({}).find("/a", undefined)).toBeNull();
});

test("of many folders the oldest are forgotten", async () => {
  for (let index = 0; index < 505; index += 1) await sessions({}).remember(`/f${index}`, "s1");
  expect(await readdir(join(folder, "inline"))).toHaveLength(500);
  expect(await sessions({ cwd: "/f504" }).find("/f504", undefined)).toMatchObject({ id: "s1" });
});
