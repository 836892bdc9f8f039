/**
 * Screens that no rule knows: a real daemon and keeper, a real terminal, and a program for the whole screen that nobody made
 * a rule for. Nothing is guessed: it is not known, a person is told once it has been still, and messages wait for them.
 *
 * To be still takes 20 s: the scenes are played side by side.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { notificationSchema } from "../../src/protocol/notify-config.js";
import type { SessionDetail } from "../../src/protocol/session.js";
import { TestDaemon } from "./test-daemon.js";

const STRANGER = new URL("../../dist/test/e2e/programs/strange-agent.js", import.meta.url).pathname;
const STILL = { timeout: 60_000, interval: 100 };

let daemon: TestDaemon;
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-unknown-"));
  await mkdir(join(folder, "bin"));
  // By its name the one is Claude Code, of a version that begins in its own way; the other nobody has heard of.
  for (const name of ["claude", "zorble"]) {
    const program = join(folder, "bin", name);
    await writeFile(program, `#!/bin/bash\nexec -a ${name} '${process.execPath}' '${STRANGER}' "$@"\n`);
    await chmod(program, 0o755);
  }
  const config = join(folder, "config", "signalbox");
  await mkdir(config, { recursive: true });
  const tell = `{ cat; echo; } >> ${join(folder, "told")}`;
  await writeFile(
    join(config, "config.toml"),
    `[notify]\non = ["ask", "error"]\ncommand = ["sh", "-c", ${JSON.stringify(tell)}]\ncooldown_s = 0\n`,
  );
  daemon = await TestDaemon.start({ env: { XDG_CONFIG_HOME: join(folder, "config") } });
});

afterAll(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

class Scene {
  /** `name` tells its log from the others'. */
  static async begin(name: string, args: readonly string[], prompt?: string): Promise<Scene> {
    const log = join(folder, `${name}.log`);
    const { id } = await daemon.client.createSession({
      harness: "terminal",
      cwd: folder,
      args: [...args],
      env: {
        PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
        STRANGE_AGENT_LOG: log,
        PS1: "$ ",
        ENV: "",
      },
      ...(prompt === undefined ? {} : { prompt }),
    });
    return new Scene(id, log);
  }

  private constructor(
    readonly id: string,
    private readonly log: string,
  ) {}

  read(): Promise<SessionDetail> {
    return daemon.client.getSession(this.id);
  }

  type(text: string): Promise<unknown> {
    return daemon.client.typeKeys(this.id, { text });
  }

  send(text: string, force = false): Promise<{ readonly messageId: string; readonly status: string }> {
    return daemon.client.sendMessage(this.id, { text, ...(force ? { force } : {}) });
  }

  /** What the program took. */
  async took(): Promise<readonly string[]> {
    return (await linesIn(this.log)).map((line) => JSON.parse(line) as string);
  }

  /** What a person was told of it. */
  async told(): Promise<readonly string[]> {
    const all = (await linesIn(join(folder, "told"))).map((line) =>
      notificationSchema.parse(JSON.parse(line)),
    );
    return all.filter(({ sessionId }) => sessionId === this.id).map(({ type, text }) => `${type}: ${text}`);
  }

  async needsAttention(): Promise<boolean> {
    return (await this.read()).ui.needsAttention;
  }
}

async function linesIn(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

const NOT_UNDERSTOOD = "ask: what its terminal shows is not understood: look at it";

/** Nothing is claimed of it. */
const UNCLAIMED = { certainty: "unknown", asks: [], ui: { showSpinner: false } };

describe.concurrent("what no rule knows", () => {
  test("a page before everything else: the session is not being created any more, and its prompt waits for a person", async ({
    expect,
  }) => {
    const scene = await Scene.begin("page", [join("bin", "claude"), "--notice"], "hello");
    await expect.poll(async () => (await scene.read()).status, STILL).toBe("streaming");
    expect(await scene.read()).toMatchObject({ ...UNCLAIMED, queue: [{ status: "queued" }] });
    await scene.send("and this");
    await expect.poll(() => scene.needsAttention(), STILL).toBe(true);
    await expect.poll(() => scene.told()).toEqual([NOT_UNDERSTOOD]);
    expect(await scene.took()).toEqual([]);
    // The person looks, turns the page, and sees that it would take something.
    await scene.type(" ");
    await expect.poll(() => scene.took()).toEqual(["key  "]);
    const { queue } = await scene.read();
    expect(queue.map(({ status }) => status)).toEqual(["queued", "queued"]);
    await daemon.client.sendMessage(scene.id, { resend: queue[0]?.messageId ?? "", force: true });
    await expect.poll(() => scene.took()).toEqual(["key  ", "paste hello", "key \r", "took hello"]);
    await expect.poll(async () => (await scene.read()).queue.length).toBe(1);
    expect(await scene.read()).toMatchObject(UNCLAIMED);
    expect(await scene.told()).toEqual([NOT_UNDERSTOOD]);
  });

  test("a menu before everything else is an ask that is answered in the terminal, and the prompt waits behind it", async ({
    expect,
  }) => {
    const scene = await Scene.begin("menu", [join("bin", "claude"), "--menu"], "hello");
    await expect.poll(async () => (await scene.read()).status, STILL).toBe("waiting_input");
    const { asks, queue, ui } = await scene.read();
    expect(asks).toMatchObject([{ title: "Make quiet mode your default?", atTerminal: true }]);
    expect([queue.map(({ status }) => status), ui.needsAttention]).toEqual([["queued"], true]);
    await expect.poll(() => scene.told()).toEqual([expect.stringContaining("Make quiet mode your default?")]);
    const askId = asks[0]?.askId ?? "";
    const answered = daemon.client.answerAsk(scene.id, askId, { decision: "approve" });
    await expect(answered).rejects.toMatchObject({ status: 409, code: "conflict" });
    expect(await scene.took()).toEqual([]);
    await scene.type("\r");
    await expect.poll(async () => (await scene.read()).asks, STILL).toEqual([]);
    expect(await scene.read()).toMatchObject({ ...UNCLAIMED, queue: [{ status: "queued" }] });
    expect(await scene.took()).toEqual(["key \r"]);
  });

  test("a program for the whole screen, in a shell: an agent once a person says so, and sent to when they do", async ({
    expect,
  }) => {
    const scene = await Scene.begin("shell", ["/bin/bash", "--norc"]);
    await expect.poll(async () => (await scene.read()).status).toBe("idle");
    await scene.type("zorble\r");
    await expect
      .poll(() =>
        daemon.client.connect({ sessionId: scene.id, as: "zorble" }).then(
          () => "named",
          () => "only a shell",
        ),
      )
      .toBe("named");
    await expect.poll(async () => (await scene.read()).agent?.name).toBe("zorble");
    const { messageId, status } = await scene.send("it waits");
    expect([status, await scene.read()]).toMatchObject(["queued", UNCLAIMED]);
    await expect.poll(() => scene.needsAttention(), STILL).toBe(true);
    const still = await scene.read();
    expect([still.certainty, still.queue.map((each) => each.messageId)]).toEqual(["unknown", [messageId]]);
    await expect.poll(() => scene.told()).toEqual([NOT_UNDERSTOOD]);
    expect(await scene.took()).toEqual([]);
    await daemon.client.sendMessage(scene.id, { resend: messageId, force: true });
    const taken = ["paste it waits", "key \r", "took it waits"];
    await expect.poll(() => scene.took()).toEqual(taken);
    await expect.poll(async () => (await scene.read()).queue).toEqual([]);
    // What waits when it ends comes back, and the shell gets none of it.
    const late = await scene.send("touch ran");
    await scene.type("\x11");
    await expect.poll(async () => (await scene.read()).status).toBe("idle");
    const { returned, agent } = await scene.read();
    expect([returned, agent]).toEqual([[{ messageId: late.messageId, text: "touch ran" }], null]);
    await expect(scene.send("more", true)).rejects.toMatchObject({ status: 409, code: "no_agent" });
    expect(await scene.took()).toEqual([...taken, "key \x11"]);
  });

  test("a program of its own for the whole screen is not known from the beginning, and never at work", async ({
    expect,
  }) => {
    const scene = await Scene.begin("own", [join("bin", "zorble")]);
    await expect.poll(async () => (await scene.read()).certainty).toBe("unknown");
    const { messageId } = await scene.send("it waits");
    await expect.poll(() => scene.needsAttention(), STILL).toBe(true);
    const still = await scene.read();
    expect(still).toMatchObject({ ...UNCLAIMED, queue: [{ messageId, status: "queued" }] });
    await expect.poll(() => scene.told()).toEqual([NOT_UNDERSTOOD]);
    // What it draws afterwards is no news either.
    await scene.send("forced", true);
    await expect.poll(() => scene.took()).toEqual(["paste it waits", "key \r", "took it waits"]);
    expect(await scene.told()).toEqual([NOT_UNDERSTOOD]);
  });
});
