/**
 * The daemon as a program: what `signalbox up --foreground` becomes. The command line never imports the daemon; it loads
 * `daemon/run-daemon.js` by its address, in this one case, and this type is all that the two agree on.
 */
export interface ReadyDaemon {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly dataDir: string;
}

export interface DaemonProgram {
  /**
   * Makes this process the daemon: from now on it ends when the daemon does, by signals or by a failure, with the daemon's
   * status. Resolves once it is ready and `onReady` has been told; rejects with what `onReady` threw.
   */
  readonly runDaemon: (
    args: readonly string[],
    onReady: (ready: ReadyDaemon) => Promise<void>,
  ) => Promise<void>;
}
