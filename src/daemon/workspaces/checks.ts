/** A project's check, run in a workspace when somebody asks: one at a time, and what came of the last one is kept. */
import type { WorkspaceCheck } from "../../protocol/workspace.js";
import { Hands, type Tools } from "../../workspace/place.js";
import { endEarlier, runShell } from "../../workspace/shell-run.js";
import type { WorkspaceDesk, WorkspaceRecord } from "../../workspace/workspace-desk.js";

/** Of the end of what it says. */
const OUTPUT_BYTES_MAX = 16 * 1024;

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  tail: Buffer;
}

export interface ChecksOptions {
  readonly desk: WorkspaceDesk;
  readonly tools: Tools;
  readonly onProblem: (what: string, error: unknown) => void;
}

export class Checks {
  private readonly running = new Map<string, Running>();
  private isClosed = false;

  constructor(private readonly options: ChecksOptions) {}

  /** What a daemon before us has begun did not end: that is told, and not guessed. */
  async start(): Promise<void> {
    for (const { id, place, check } of this.options.desk.all()) {
      if (check?.status !== "running") continue;
      await endEarlier(new Hands(place, this.options.tools), "check");
      this.keep(id, { ...check, status: "failed", output: "It was cut off: the daemon ended meanwhile.\n" });
    }
  }

  /** While one runs, that one. */
  begin(record: WorkspaceRecord, command: string): void {
    const { id } = record;
    if (this.running.has(id) || this.isClosed) return;
    const begun: WorkspaceCheck = {
      ...{ status: "running", command, exitCode: null, output: "" },
      head: record.state.observed?.head ?? null,
      observation: record.state.observed?.id ?? null,
      atMs: Date.now(),
    };
    this.keep(id, begun);
    const stop = new AbortController();
    const run: Running = { stop, tail: Buffer.alloc(0), ended: this.run(record, begun, stop.signal) };
    this.running.set(id, run);
    void run.ended.finally(() => this.running.delete(id));
  }

  /** With what it has said so far. */
  show({ id, check }: WorkspaceRecord): WorkspaceCheck | null {
    if (!check) return null;
    const tail = this.running.get(id)?.tail;
    return tail === undefined ? check : { ...check, output: textOf(tail) };
  }

  isRunning(id: string): boolean {
    return this.running.has(id);
  }

  async settled(id: string): Promise<void> {
    await this.running.get(id)?.ended;
  }

  stop(id: string): void {
    this.running.get(id)?.stop.abort();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { stop } of this.running.values()) stop.abort();
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  /** Never rejects. */
  private async run({ id, place }: WorkspaceRecord, begun: WorkspaceCheck, stop: AbortSignal): Promise<void> {
    let exitCode: number | null = null;
    let words = "";
    try {
      // Not before it is known to run.
      await Promise.resolve();
      exitCode = await runShell(new Hands(place, this.options.tools), {
        ...{ name: "check", command: begun.command, stop },
        onOutput: (chunk) => this.take(id, chunk),
      });
    } catch (error) {
      words = `It could not be run: ${error instanceof Error ? error.message : String(error)}\n`;
    }
    const said = textOf(this.running.get(id)?.tail ?? Buffer.alloc(0));
    const status = exitCode === 0 && !stop.aborted ? "passed" : "failed";
    const cut = stop.aborted ? "It was stopped.\n" : "";
    this.keep(id, { ...begun, status, exitCode, output: `${said}${words}${cut}`, atMs: Date.now() });
  }

  private take(id: string, chunk: Buffer): undefined {
    const run = this.running.get(id);
    if (run) run.tail = Buffer.concat([run.tail, chunk]).subarray(-OUTPUT_BYTES_MAX);
  }

  private keep(id: string, check: WorkspaceCheck): void {
    try {
      this.options.desk.note(id, { check });
    } catch (error) {
      this.options.onProblem(`the check of the workspace ${id}`, error);
    }
  }
}

/** A character that was cut in two is left out. */
function textOf(bytes: Buffer): string {
  return bytes.toString("utf8").replace(/^\uFFFD+/, "");
}
