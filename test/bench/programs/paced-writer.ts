/** Writes lines for many agents at a steady pace, each into the pipe of one of them, with the time at which it did. */
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { answerOrders } from "../side-process.js";

export type WriterOrder =
  /** The pipes of agents that have printed two lines. */
  | { readonly type: "open"; readonly pipes: readonly string[] }
  /** One burst of lines to each agent in turn. Answered when all are written. */
  | { readonly type: "write"; readonly lines: number; readonly perSecond: number; readonly burst: number };

export interface WriterAnswers {
  readonly open: null;
  /** In seconds. */
  readonly write: number;
}

const LINES_BEFORE = 2;
const PAUSE_MS = 1;
/** So that an entry is as long as one of an agent's own. */
const FILLER = "The agent reads a file and changes two lines.";

interface Pipe {
  readonly fd: number;
  n: number;
}

let pipes: readonly Pipe[] = [];
let next = 0;

function open(paths: readonly string[]): Promise<null> {
  for (const { fd } of pipes) closeSync(fd);
  // For reading too: it opens at once, whether or not the agent is there already.
  const flags = constants.O_RDWR | constants.O_NONBLOCK;
  pipes = paths.map((path) => ({ fd: openSync(path, flags), n: LINES_BEFORE }));
  return Promise.resolve(null);
}

async function write({ lines, perSecond, burst }: Extract<WriterOrder, { type: "write" }>): Promise<number> {
  const startedAtMs = performance.now();
  let written = 0;
  while (written < lines) {
    const due = Math.min(lines, ((performance.now() - startedAtMs) / 1000) * perSecond);
    while (written + burst <= due) {
      writeBurst(burst);
      written += burst;
    }
    await sleep(PAUSE_MS);
  }
  return (performance.now() - startedAtMs) / 1000;
}

function writeBurst(burst: number): void {
  const pipe = pipes[next % pipes.length];
  if (!pipe) throw new Error("there is no pipe");
  next += 1;
  let text = "";
  for (let line = 0; line < burst; line += 1) {
    pipe.n += 1;
    text += `{"n":${pipe.n},"type":"text","text":"${process.hrtime.bigint()} ${FILLER}"}\n`;
  }
  const bytes = Buffer.from(text);
  if (writeSync(pipe.fd, bytes) !== bytes.length) throw new Error("an agent does not read its pipe");
}

answerOrders<WriterOrder, WriterAnswers>((order) =>
  order.type === "open" ? open(order.pipes) : write(order),
);
