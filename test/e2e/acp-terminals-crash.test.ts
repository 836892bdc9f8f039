/** Commands that an agent has us run, when the daemon, the agent or the keeper is killed. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SPOOL_BYTES_MAX } from "../../src/protocol/keeper-format.js";
import { isAlive } from "../reliability/is-alive.js";
import { AcpLab, create, lasting, use } from "./acp-lab.js";

let lab: AcpLab;

beforeAll(async () => {
  lab = await AcpLab.open();
});

afterAll(() => lab.close());

test("a command outlives the daemon, and its end is told to who has waited for it since before", async () => {
  const agent = await lab.startAgent({ autoApprove: true });
  await agent.does(
    create(`sh -c 'echo $$ > pid; until [ -e go ]; do sleep 0.05; done; exit 5'`),
    create(`sh -c 'echo $$ > other; until [ -e go ]; do sleep 0.05; done; exit 6'`),
    use("wait_for_exit"),
    use("output"),
  );
  const pid = await agent.pidIn("pid");
  await agent.pidIn("other");
  await lab.killDaemon(() => expect(isAlive(pid)).toBe(true));
  await writeFile(join(agent.project, "go"), "");
  await agent.rests();
  expect(agent.answers().slice(2)).toMatchObject([
    { method: "terminal/wait_for_exit", result: { exitCode: 6 } },
    { method: "terminal/output", result: { exitStatus: { exitCode: 6 } } },
  ]);
});

test("one that ended while there was no daemon is told when there is one again", async () => {
  const agent = await lab.startAgent({ autoApprove: true });
  await agent.does(
    create(`sh -c 'echo $$ > pid; until [ -e go ]; do sleep 0.05; done; exit 7'`),
    use("wait_for_exit"),
  );
  const pid = await agent.pidIn("pid");
  await lab.killDaemon(async () => {
    await writeFile(join(agent.project, "go"), "");
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
  await agent.rests();
  expect(agent.answers()[1]).toEqual({
    method: "terminal/wait_for_exit",
    result: { exitCode: 7, signal: null },
  });
});

test.each(["killed", "cancelled", "deleted", "killed while there is no daemon", "lost with its keeper"])(
  "of an agent that is %s no command is left",
  async (how) => {
    for (const { id } of (await lab.daemon.client.listSessions()).items)
      await lab.daemon.client.deleteSession(id);
    await expect.poll(() => lab.leftFolders()).toEqual([]);
    const agent = await lab.startAgent({ autoApprove: true });
    await agent.does(create(lasting("pid")), create(lasting("other")), use("wait_for_exit"));
    const files = ["pid", "pid.child", "other", "other.child"];
    const pids = await Promise.all(files.map((file) => agent.pidIn(file)));
    const { pid: agentPid } = (await lab.daemon.client.explain(agent.id)).process;
    switch (how) {
      case "killed":
        process.kill(agentPid ?? 0, "SIGKILL");
        break;
      case "cancelled":
        await lab.daemon.client.cancel(agent.id);
        break;
      case "deleted":
        await lab.daemon.client.deleteSession(agent.id);
        break;
      case "lost with its keeper":
        process.kill(await lab.daemon.keeperPid(), "SIGKILL");
        break;
      default:
        await lab.killDaemon(() => void process.kill(agentPid ?? 0, "SIGKILL"));
    }
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
    await expect.poll(() => lab.leftFolders()).toEqual([]);
  },
);

test("a command that had to wait because nobody read it goes on when there is a daemon again", async () => {
  const agent = await lab.startAgent({ autoApprove: true });
  await agent.does(
    create("echo > begun; until [ -e go ]; do sleep 0.05; done; yes | head -c 150000000; exit 9"),
    use("wait_for_exit"),
    use("release"),
  );
  await expect.poll(() => existsSync(join(agent.project, "begun"))).toBe(true);
  const spool = join(lab.daemon.dataDir, "runs", `${agent.id}-t1.1`);
  const spooledBytes = async () => {
    const names = (await readdir(spool)).filter((name) => name.startsWith("out-"));
    return names.reduce((sum, name) => sum + statSync(join(spool, name)).size, 0);
  };
  await lab.killDaemon(async () => {
    await writeFile(join(agent.project, "go"), "");
    // Nobody reads it, so the keeper takes it slowly.
    await expect.poll(spooledBytes, { timeout: 150_000 }).toBe(SPOOL_BYTES_MAX);
  });
  await agent.rests();
  expect(agent.answers()[1]).toMatchObject({ result: { exitCode: 9 } });
});

test("however often the daemon is killed, each command is run once, and each request answered once", async () => {
  const agent = await lab.startAgent({ autoApprove: true });
  const rounds = Array.from({ length: 12 }, (_, round) => [
    create(`echo ${round} >> ran; sleep 0.1; echo ${round}`),
    use("wait_for_exit"),
    use("output"),
    use("release"),
  ]);
  await agent.does(...rounds.flat());
  for (let kills = 1; kills <= 4; kills += 1) {
    await expect.poll(() => agent.answers().length).toBeGreaterThanOrEqual(kills * 7);
    await lab.killDaemon();
  }
  await agent.rests();
  const numbers = rounds.map((_, round) => `${round}\n`);
  expect(readFileSync(join(agent.project, "ran"), "utf8")).toBe(numbers.join(""));
  const answers = agent.answers();
  expect(answers.map(({ method }) => method)).toEqual(
    rounds.flatMap(() => ["create", "wait_for_exit", "output", "release"].map((what) => `terminal/${what}`)),
  );
  const outputs = answers.filter(({ method }) => method === "terminal/output");
  expect(outputs.map(({ result }) => (result as { readonly output: string }).output)).toEqual(numbers);
  await expect.poll(() => lab.leftFolders(agent.id)).toEqual([]);
});
