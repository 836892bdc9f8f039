import { writeFile } from "node:fs";
import { Connection } from "./connection.js";
import { endLeftHolds } from "./hold-record.js";
import { Keeper } from "./keeper.js";
import { fileIdAt, listen, type Listening, stopListening } from "./listen.js";
import { keeperPidPath, keeperSocketPath } from "./paths.js";

const CHECK_EVERY_MS = 3_000;

export interface KeeperHostOptions {
  /** Absolute, without links. */
  readonly dataDir: string;
  /** The Signalbox that it is part of. */
  readonly release: string;
  /** The keeper ends after so long without runs and connections. */
  readonly idleExitMs: number;
  /** Unconsumed output of one run at which its agent has to wait. */
  readonly spoolBytesMax?: number;
  /** How long a hold lasts that nobody releases. */
  readonly holdMsMax?: number;
  readonly log: (message: string) => void;
  readonly onEnd: () => void;
}

/** Where the keeper can be found, and when it ends. */
export class KeeperHost {
  private readonly path: string;
  private readonly keeper: Keeper;
  private listening: Listening | null = null;
  private checkTimer: NodeJS.Timeout | null = null;
  private busyAtMs = performance.now();

  constructor(private readonly options: KeeperHostOptions) {
    this.path = keeperSocketPath(options.dataDir);
    this.keeper = new Keeper({ ...options, onShutDown: () => this.end("asked to") });
  }

  /** False: there is another keeper. */
  async start(): Promise<boolean> {
    if (!(await this.listen())) return false;
    endLeftHolds(this.options.dataDir, this.options.log);
    this.options.log("listens");
    writeFile(keeperPidPath(this.options.dataDir), `${process.pid}\n`, { mode: 0o600 }, (error) => {
      if (error !== null) this.options.log(`cannot write its pid: ${error.message}`);
    });
    this.checkLater();
    return true;
  }

  /** Ends every run, and then the keeper. */
  async endAll(reason: string): Promise<void> {
    await this.keeper.endRuns();
    this.end(reason);
  }

  private async listen(): Promise<boolean> {
    const listening = await listen(this.path, (socket) =>
      this.keeper.opened(new Connection(socket, this.keeper)),
    );
    if (listening === null) return false;
    this.listening?.server.close();
    this.listening = listening;
    return true;
  }

  private checkLater(): void {
    const delayMs = Math.min(CHECK_EVERY_MS, this.options.idleExitMs);
    this.checkTimer = setTimeout(() => {
      this.check().then(
        () => this.checkLater(),
        (error: unknown) => {
          this.options.log(`cannot listen: ${String(error)}`);
          this.checkLater();
        },
      );
    }, delayMs);
  }

  private async check(): Promise<void> {
    const nowMs = performance.now();
    if (!this.keeper.idle) this.busyAtMs = nowMs;
    if (nowMs - this.busyAtMs >= this.options.idleExitMs) {
      this.end("nobody needs it");
      return;
    }
    const fileId = fileIdAt(this.path);
    if (fileId === this.listening?.fileId) return;
    // Another keeper has taken the place, or somebody deleted the socket. Who has agents must be found.
    if (!this.keeper.hasLiveRuns) this.end("its socket is gone");
    else if (fileId === null) await this.listen();
  }

  private end(reason: string): void {
    this.options.log(`ends: ${reason}`);
    if (this.checkTimer !== null) clearTimeout(this.checkTimer);
    if (this.listening !== null) stopListening(this.listening, this.path);
    this.options.onEnd();
  }
}
