/** Leads a person through the steps: says what each is for, shows its commands, and runs them when they say so. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../client/client.js";
import { CommandFailure } from "../command.js";
import { EXIT } from "../exit-codes.js";
import { painter } from "../paint.js";
import { print } from "../print.js";
import { TOUR_STEPS, type TourCommand, type TourStep } from "./tour-steps.js";

export interface TourWorld {
  readonly client: Client;
  readonly repository: string;
  readonly dataDir: string;
  /** Whether a person is asked before each command. */
  readonly isAsked: boolean;
}

type Key = "run" | "skip" | "leave";

const LOOK_AGAIN_MS = 200;
const RACE_MAX_MS = 120_000;
const KEYS = "Enter runs it, s skips this step, q leaves";
const ID_LENGTH = 8;

export class TourGuide {
  private readonly ids = new Map<string, string>();
  private readonly done = new Set<string>();
  private readonly paint = painter();

  constructor(private readonly world: TourWorld) {}

  /** False: the person left before the end. */
  async lead(): Promise<boolean> {
    for (const [index, step] of TOUR_STEPS.entries()) {
      const title = `${index + 1} of ${TOUR_STEPS.length}: ${step.title}`;
      await print(`\n${this.paint("bold", title)}\n${step.why}\n`);
      if (!step.needs.every((name) => this.done.has(name))) {
        await print("Left out: it needs a step that was skipped or did not work.\n");
        continue;
      }
      const end = await this.take(step);
      if (end === "leave") return false;
      if (end === "run") this.done.add(step.name);
    }
    return true;
  }

  private async take({ commands }: TourStep): Promise<Key> {
    for (const command of commands) {
      if (command.afterRace === true) await this.raceIsChecked();
      const line = command.line.replaceAll(
        /\{(\w+)\}/g,
        (whole, name: string) => this.ids.get(name) ?? whole,
      );
      await print(`\n${this.paint("bold", `$ ${line}`)}\n`);
      const key = this.world.isAsked ? await this.asked() : "run";
      if (key !== "run") return key;
      const status = await this.run(line, command);
      if (status === 0) continue;
      if (!this.world.isAsked)
        throw new CommandFailure(`the tour ends: exit status ${status}`, `It ran: ${line}`, EXIT.refused);
      await print(`That ended with exit status ${status}. The tour goes on with the next step.\n`);
      return "skip";
    }
    return "run";
  }

  private async asked(): Promise<Key> {
    const { stdin, stdout } = process;
    stdout.write(this.paint("dim", KEYS));
    stdin.setRawMode(true);
    stdin.resume();
    try {
      for (;;) {
        const [chunk] = (await once(stdin, "data")) as [Buffer];
        const key = KEY_OF[chunk.toString("latin1")];
        if (key !== undefined) return key;
      }
    } finally {
      stdin.setRawMode(false);
      stdin.pause();
      stdout.write("\r\u001b[K");
    }
  }

  /** In a shell, where `signalbox` is this very program. */
  private async run(line: string, { keeps }: TourCommand): Promise<number> {
    const [script = ""] = process.argv.slice(1);
    const words = [process.execPath, script].map(quoted).join(" ");
    const env = { ...process.env, SIGNALBOX_DATA_DIR: this.world.dataDir, GIT_PAGER: "cat" };
    // Ctrl-C is for the command.
    const ignore = (): void => undefined;
    process.on("SIGINT", ignore);
    try {
      const child = spawn("/bin/sh", ["-c", `signalbox() { ${words} "$@"; }\n${line}`], {
        ...{ cwd: this.world.repository, env },
        stdio: [
          this.world.isAsked ? "inherit" : "ignore",
          keeps === undefined ? "inherit" : "pipe",
          "inherit",
        ],
      });
      let printed = "";
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        process.stdout.write(text);
      });
      const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
      const id = /^\w+/.exec(printed)?.[0];
      if (keeps !== undefined && id !== undefined) this.ids.set(keeps, id.slice(0, ID_LENGTH));
      return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
    } finally {
      process.off("SIGINT", ignore);
    }
  }

  /** Until every agent of the race is done and checked, or nothing comes of it. */
  private async raceIsChecked(): Promise<void> {
    await print("Both work; their changes are checked when they are done …\n");
    const [race] = (await this.world.client.listRaces({})).items.filter(({ id }) =>
      id.startsWith(this.ids.get("race") ?? id),
    );
    if (race === undefined) return;
    const endMs = Date.now() + RACE_MAX_MS;
    while (Date.now() < endMs) {
      const { entries } = await this.world.client.getRace(race.id);
      const passed = entries.find(({ check }) => check?.status === "passed");
      if (passed?.sessionId != null) this.ids.set("careful", passed.sessionId.slice(0, ID_LENGTH));
      if (entries.every(({ check }) => check?.status === "passed" || check?.status === "failed")) return;
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

const KEY_OF: Readonly<Record<string, Key>> = {
  "\r": "run",
  "\n": "run",
  s: "skip",
  q: "leave",
  "\u0003": "leave",
  "\u0004": "leave",
};

export function quotedIfNeeded(text: string): string {
  return /^[\w./~-]+$/.test(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
