/** What a person does at an agent's terminal, and how a screen of it is kept. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readScreen, type Activity, type ScreenAgent, type ScreenChoice } from "../../src/core/index.js";
import { DIALECTS, type Dialect } from "./dialects.js";
import { pause, type LiveTerminal, type Size } from "./live-terminal.js";
import type { ModelServer } from "./model-server.js";
import type { Shot, Shots } from "./shots.js";

export const ENTER = "\r";
export const ESC = "\x1b";
export const BACKSPACE = "\x7f";
/** Some agents take an Enter that follows a key too soon for a part of a paste. */
const BEFORE_ENTER_MS = 400;
/** A dialog that has just come ignores keys, so that nobody answers it by accident. */
export const BEFORE_ANSWER_MS = 1_500;
export const BETWEEN_ESC_MS = 300;
const START_MAX_MS = 60_000;
const START_POLL_MS = 60;
const START_SHOTS_MAX = 6;

export interface Scene {
  readonly agent: ScreenAgent;
  readonly version: string;
  readonly terminal: LiveTerminal;
  readonly size: Size;
  readonly shots: Shots;
  readonly model: ModelServer;
  readonly project: string;
  /** What starts the agent. */
  readonly command: string;
}

/** One part of a play, and its name. */
export type Step = readonly [string, () => Promise<void>];

export class AgentHand {
  protected readonly dialect: Dialect;
  protected readonly agent: ScreenAgent;
  protected readonly terminal: LiveTerminal;
  protected readonly size: Size;
  protected readonly project: string;

  constructor(protected readonly scene: Scene) {
    this.agent = scene.agent;
    this.terminal = scene.terminal;
    this.size = scene.size;
    this.project = scene.project;
    this.dialect = DIALECTS[scene.agent];
  }

  protected shot(name: string, activity: Activity, more: Partial<Shot> = {}): void {
    const { version } = this.scene;
    const folder = `${this.agent}-${version}-${this.size.cols}x${this.size.rows}`;
    const file = `${folder}/${name}.ansi`;
    this.scene.shots.take(this.terminal, {
      file,
      agent: this.agent,
      version,
      activity,
      ...this.size,
      ...more,
    });
  }

  /** With a list of commands open. */
  protected listShot(name: string, activity: Activity): void {
    this.shot(name, activity, this.dialect.listCovers ? { covered: true } : {});
  }

  /** Until `what` stands there. Whatever is shown on the way, it does not wait for a person yet. */
  protected async startsUntil(what: RegExp, name = "00"): Promise<void> {
    const endsAtMs = Date.now() + START_MAX_MS;
    const seen = new Set<string>();
    for (let text = this.terminal.text(); !what.test(text); text = this.terminal.text()) {
      if (Date.now() > endsAtMs) throw new Error(`it does not start; the screen:\n${text}`);
      const words = text.replace(/[\d\u2800-\u28ff]/g, "");
      if (!seen.has(words) && seen.size < START_SHOTS_MAX) {
        seen.add(words);
        this.shot(`${name}-starting-${seen.size}`, "unknown");
      }
      await pause(START_POLL_MS);
    }
  }

  protected paste(text: string): void {
    this.terminal.press(this.dialect.takesWhole ? text : `\x1b[200~${text}\x1b[201~`);
  }

  /** Types, and waits until it stands in the input box: a busy agent is behind with what is typed. */
  protected async type(text: string): Promise<void> {
    if (this.dialect.takesWhole) this.terminal.press(text);
    else await this.terminal.type(text);
    const tail = text.replace(/\s/g, "").slice(-12);
    const endsAtMs = Date.now() + 20_000;
    const shown = () => readScreen(this.agent, this.terminal.screen()).input?.replace(/\s/g, "") ?? "";
    while (!shown().endsWith(tail) && Date.now() < endsAtMs) await pause(100);
    await pause(BEFORE_ENTER_MS);
  }

  protected async send(text: string): Promise<void> {
    await this.type(text);
    await this.enter();
  }

  /** Sends a message, and waits until the agent works on it. */
  protected async ask(text: string): Promise<void> {
    await this.type(text);
    await this.enterAndAsk();
  }

  protected async enterAndAsk(): Promise<void> {
    const before = this.scene.model.turns();
    await this.enter();
    await this.scene.model.isAsked(before);
  }

  protected async enter(): Promise<void> {
    await pause(BEFORE_ENTER_MS);
    this.terminal.press(ENTER);
  }

  protected async untilTurnEnds(said: RegExp, timeoutMs = 30_000): Promise<void> {
    await this.terminal.until(said, timeoutMs);
    await pause(2_500);
  }

  /** Presses what the screen's own rule names; so every capture also shows that the rules' keys are right. */
  protected async answer(meaning: ScreenChoice["meaning"]): Promise<void> {
    const { prompt } = readScreen(this.agent, this.terminal.screen());
    const choice = prompt?.choices.find((offered) => offered.meaning === meaning);
    if (!choice) throw new Error(`no rule names a key for ${meaning}; the screen:\n${this.terminal.text()}`);
    this.terminal.press(choice.keys);
    await pause(500);
  }

  /** Lets it do what it asks for, if it asks. */
  protected async approved(): Promise<void> {
    if (!this.dialect.permission) return;
    await this.terminal.until(this.dialect.permission);
    await pause(BEFORE_ANSWER_MS);
    await this.answer("approve");
  }

  /** Whether an answer did what it means, told by the file that only an approved call makes. */
  protected expectFile(name: string, made: boolean): void {
    if (existsSync(join(this.project, name)) !== made) {
      throw new Error(`${name} was ${made ? "not made, though approved" : "made, though rejected"}`);
    }
  }
}
