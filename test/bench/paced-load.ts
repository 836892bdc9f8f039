/** Sessions whose agents print what one writer gives them, at a steady pace, and one client that follows them all. */
import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchDaemon } from "./bench-daemon.js";
import type { BenchOptions } from "./benchmark.js";
import { eventually } from "./eventually.js";
import { openSessions } from "./open-sessions.js";
import type { LatencyAnswers, LatencyOrder } from "./programs/latency-reader.js";
import type { WriterAnswers, WriterOrder } from "./programs/paced-writer.js";
import type { Scratch } from "./scratch.js";
import { SideProcess } from "./side-process.js";

type Writer = SideProcess<WriterOrder, WriterAnswers>;
type Reader = SideProcess<LatencyOrder, LatencyAnswers>;

export interface Pace {
  readonly lines: number;
  readonly perSecond: number;
  /** So many lines at once, to one agent. */
  readonly burst: number;
}

export interface PacedRun {
  /** From the write to the client, for every line. */
  readonly latenciesMs: readonly number[];
  /** How long it took to write them. */
  readonly seconds: number;
}

export class PacedLoad {
  static async open(
    options: BenchOptions,
    scratch: Scratch,
    daemon: BenchDaemon,
    sessions: number,
    /** One connection that follows everything, or one for each session. */
    follow: "all" | "each" = "all",
  ): Promise<PacedLoad> {
    const folder = join(scratch.folder, `pipes-${daemon.pid}`);
    await mkdir(folder);
    const pipes = Array.from({ length: sessions }, (_, index) => join(folder, `${index}`));
    execFileSync("mkfifo", pipes);
    const program = fileURLToPath(new URL("agents/piped-agent.sh", options.folder));
    const ids = await openSessions(daemon, sessions, (index) => ({
      args: ["--program", program],
      env: { PIPE: pipes[index] ?? "" },
      prompt: "Print what you are given.",
    }));
    await eventually("every agent at work", async () => {
      const { items } = await daemon.client.listSessions({ limit: sessions });
      return items.every(({ phase }) => phase === "calling_llm");
    });
    const writer: Writer = scratch.own(
      new SideProcess(new URL("./programs/paced-writer.js", import.meta.url)),
    );
    const reader: Reader = scratch.own(
      new SideProcess(new URL("./programs/latency-reader.js", import.meta.url)),
    );
    await writer.ask({ type: "open", pipes });
    const queries = follow === "all" ? [""] : ids.map((id) => `?session=${id}`);
    await reader.ask({ type: "connect", daemon: daemon.ready, queries });
    return new PacedLoad(writer, reader);
  }

  private constructor(
    private readonly writer: Writer,
    private readonly reader: Reader,
  ) {}

  async run({ lines, perSecond, burst }: Pace): Promise<PacedRun> {
    const [seconds, latenciesMs] = await Promise.all([
      this.writer.ask({ type: "write", lines, perSecond, burst }),
      this.reader.ask({ type: "read", lines }),
    ]);
    return { latenciesMs, seconds };
  }
}
