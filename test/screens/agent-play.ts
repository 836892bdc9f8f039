/** What is done with every agent, step by step; each step knows what the agent is doing, and says so of its screen. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readScreen, type Activity, type ScreenAgent, type ScreenChoice } from "../../src/core/index.js";
import { DIALECTS, type Dialect } from "./dialects.js";
import { pause, type LiveTerminal, type Size } from "./live-terminal.js";
import type { Shots } from "./shots.js";

const ENTER = "\r";
const ESC = "\x1b";
const BACKSPACE = "\x7f";
/** Some agents take an Enter that follows a key too soon for a part of a paste. */
const BEFORE_ENTER_MS = 400;
/** A dialog that has just come ignores keys, so that nobody answers it by accident. */
const BEFORE_ANSWER_MS = 1_500;
const LONG_COMMAND =
  "touch long.txt && echo a-command-that-goes-on-and-on-and-on-without-an-end && " +
  "printf '%s\\n' one two three four five six seven eight nine ten && echo 1. Yes && echo 2. No";
/** No two parts alike: some agents take repetition for a loop, and stop. */
const TALE = Array.from({ length: 24 }, (_, day) => `On day ${day + 1} it rained ${day * 7} mm.`).join(" ");

export class AgentPlay {
  private readonly dialect: Dialect;
  /** The rows of a real dialog of this agent, to be printed where they are none. */
  private lookAlike = "";

  constructor(
    private readonly agent: ScreenAgent,
    private readonly terminal: LiveTerminal,
    private readonly size: Size,
    private readonly shots: Shots,
    private readonly project: string,
    private readonly command: string,
  ) {
    this.dialect = DIALECTS[agent];
  }

  /** The steps in order. One that fails says so, and the next begins from an idle agent again. */
  async play(only: readonly string[] | null): Promise<readonly string[]> {
    const failures: string[] = [];
    await this.start();
    const steps: readonly (readonly [string, () => Promise<void>])[] = [
      ["run", () => this.run()],
      ["edit", () => this.edit()],
      ["stream", () => this.stream()],
      ["long", () => this.long()],
      ["question", () => this.question()],
      ["errors", () => this.errors()],
      ["lookalikes", () => this.lookAlikes()],
      ["menu", () => this.menu()],
    ];
    for (const [name, step] of steps) {
      if (only !== null && !only.includes(name)) continue;
      try {
        await step();
      } catch (error) {
        failures.push(`${this.agent} ${this.size.cols}x${this.size.rows} ${name}: ${String(error)}`);
        for (let count = 0; count < 3; count += 1) {
          this.terminal.press(ESC);
          await pause(700);
        }
      }
    }
    await this.end();
    return failures;
  }

  private shot(name: string, activity: Activity, gone = false): void {
    const folder = `${this.agent}-${this.size.cols}x${this.size.rows}`;
    const agent = gone ? null : this.agent;
    const shot = { file: `${folder}/${name}.ansi`, agent, activity, ...this.size };
    this.shots.take(this.terminal, gone ? { ...shot, goodbye: this.agent } : shot);
  }

  private async start(): Promise<void> {
    const { terminal, dialect } = this;
    await terminal.until(/\$ $|\$$/m);
    await terminal.type(this.command);
    await this.enter();
    if (dialect.trust) {
      await terminal.until(dialect.trust.seen, 60_000);
      await pause(BEFORE_ANSWER_MS);
      this.shot("01-trust", "approval");
      await this.answer("approve", dialect.trust.yes);
    }
    await terminal.until(dialect.ready, 60_000);
    await pause(3_000);
    await terminal.settled();
    this.shot("02-start-idle", "idle");
  }

  private async run(): Promise<void> {
    const { terminal, dialect } = this;
    const command = "touch one.txt && sleep 5 && echo hi";
    await terminal.type(`Run it. [[wait:4000]] ${dialect.shell(command)} [[text:All done.]]`);
    await pause(BEFORE_ENTER_MS);
    this.shot("03-typed", "idle");
    await this.enter();
    await pause(2_000);
    this.shot("04-working", "working");
    await terminal.until(dialect.permission);
    await pause(BEFORE_ANSWER_MS);
    this.shot("05-permission", "approval");
    const rows = terminal.text().trimEnd().split("\n");
    this.lookAlike = rows.slice(rows.findLastIndex((row) => row.includes("]]")) + 1).join("\n");
    await pause(2_500);
    this.shot("06-permission-later", "approval");
    await this.answer("approve", [dialect.approve]);
    await pause(2_000);
    this.shot("07-tool-running", "working");
    await this.untilTurnEnds(/All done\.(?!\]\])/);
    this.shot("08-idle-after-turn", "idle");
  }

  private async edit(): Promise<void> {
    await this.send("Write. [[write:new.txt=line one]] [[text:Written.]]");
    await this.terminal.until(this.dialect.editPermission);
    await pause(BEFORE_ANSWER_MS);
    this.shot("10-edit-permission", "approval");
    await this.answer("reject", [ESC]);
    await this.terminal.gone(this.dialect.editPermission);
    if (this.agent === "kilo") {
      await pause(700);
      this.shot("09-reject-stage", "approval");
      await this.answer("reject", [ENTER]);
    }
    await pause(2_500);
    this.shot("11-edit-rejected", "idle");
  }

  private async stream(): Promise<void> {
    const { terminal, dialect } = this;
    const talk = `Talk. [[slow:300]] [[chunks:90]] [[text:${TALE}]]`;
    await this.send(talk);
    await pause(5_000);
    this.shot("12-streaming", "working");
    await terminal.type("/mo");
    await pause(800);
    this.shot("17-slash-while-working", "working");
    await terminal.type(BACKSPACE.repeat(3));
    await terminal.type("and then this [[text:Second answer.]]");
    await pause(BEFORE_ENTER_MS);
    this.shot("13-typed-while-working", "working");
    terminal.press(dialect.queue);
    await pause(1_200);
    this.shot("14-queued", "working");
    await this.untilTurnEnds(/Second answer\.(?!\]\])/, 60_000);
    await this.send(talk);
    await pause(4_000);
    const [last = ESC, ...first] = [...dialect.interrupt].reverse();
    for (const key of first) {
      terminal.press(key);
      await pause(600);
      this.shot("15-esc-once", "working");
    }
    terminal.press(last);
    await pause(2_500);
    this.shot("16-interrupted", "idle");
  }

  private async long(): Promise<void> {
    const { dialect } = this;
    await this.send(`Long. ${this.dialect.shell(LONG_COMMAND)} [[text:That was long.]]`);
    await this.terminal.until(this.dialect.permission);
    await pause(BEFORE_ANSWER_MS);
    this.shot("20-long-permission", "approval");
    await this.answer("approve", [dialect.approve]);
    await this.untilTurnEnds(/That was long\.(?!\]\])/);
    this.shot("21-long-done", "idle");
  }

  private async question(): Promise<void> {
    const { question } = this.dialect;
    if (!question) return;
    await this.send(`Ask. ${question.directive} [[text:Thanks for that.]]`);
    await this.terminal.until(question.seen);
    await pause(BEFORE_ANSWER_MS);
    this.shot("22-question", "question");
    await this.answer("other", [ENTER]);
    await this.untilTurnEnds(/Thanks for that\.(?!\]\])/);
    this.shot("23-question-answered", "idle");
  }

  private async errors(): Promise<void> {
    await this.send("Fail once and for all. [[error:400]]");
    await pause(6_000);
    this.shot("30-failed", "idle");
    await this.send("Fail for a while. [[error:503]]");
    await pause(4_000);
    this.shot("31-retrying", "working");
    for (const key of this.dialect.interrupt) {
      this.terminal.press(key);
      await pause(600);
    }
    await pause(2_500);
    this.shot("32-retry-escaped", "idle");
    // Some put the text of the turn that was given up back into the input box.
    this.terminal.press("\x15");
    await pause(500);
  }

  /** A real dialog's text where it is no dialog: printed by a tool, said by the model, typed by a person. */
  private async lookAlikes(): Promise<void> {
    const { terminal, dialect } = this;
    writeFileSync(join(this.project, "menu.txt"), `${this.lookAlike}\n`);
    await this.send(`Show. ${dialect.shell("touch shown.txt; cat menu.txt")} [[text:Shown above.]]`);
    await terminal.until(dialect.permission);
    await pause(BEFORE_ANSWER_MS);
    await this.answer("approve", [dialect.approve]);
    await this.untilTurnEnds(/Shown above\.(?!\]\])/);
    this.shot("40-lookalike-output", "idle");
    const said = `Say it. [[slow:150]] [[chunks:60]] [[text:${this.lookAlike}\n]]`;
    terminal.press(`\x1b[200~${said}\x1b[201~`);
    await pause(1_500);
    this.shot("41-lookalike-pasted", "idle");
    await this.enter();
    await pause(8_000);
    this.shot("42-lookalike-streaming", "working");
    await pause(9_000);
    await terminal.settled(1_500, 10_000);
    this.shot("43-lookalike-said", "idle");
    // A command that a person runs from the agent's own input box.
    await this.send("!cat menu.txt");
    await pause(3_000);
    this.shot("44-lookalike-by-hand", "idle");
    terminal.press(ESC);
    await pause(700);
  }

  private async menu(): Promise<void> {
    const { menu } = this.dialect;
    if (!menu) return;
    await this.terminal.type(menu.command);
    await pause(1_000);
    this.shot("50-slash-typed", "idle");
    await this.enter();
    await this.terminal.until(menu.seen);
    await pause(1_000);
    this.shot("51-menu", "question");
    this.terminal.press(ESC);
    await pause(1_500);
    this.shot("52-menu-closed", "idle");
  }

  private async end(): Promise<void> {
    const { terminal, dialect } = this;
    for (const part of dialect.exit) {
      await terminal.type(part);
      await pause(1_000);
    }
    await terminal.until(/dev@box:~\/proj[$#]\s*$/, 20_000);
    await terminal.settled();
    this.shot("60-goodbye", "shell", true);
  }

  private async send(text: string): Promise<void> {
    await this.terminal.type(text);
    await this.enter();
  }

  private async enter(): Promise<void> {
    await pause(BEFORE_ENTER_MS);
    this.terminal.press(ENTER);
  }

  private async untilTurnEnds(said: RegExp, timeoutMs = 30_000): Promise<void> {
    await this.terminal.until(said, timeoutMs);
    await pause(2_500);
  }

  /** Presses what the screen's own rule names; so every capture also shows that the rules' keys are right. */
  private async answer(meaning: ScreenChoice["meaning"], fallback: readonly string[]): Promise<void> {
    const { prompt } = readScreen(this.agent, this.terminal.screen());
    const choice = prompt?.choices.find((offered) => offered.meaning === meaning);
    if (!choice)
      console.error(`${this.agent}: no rule names a key for ${meaning}; pressed what a person would`);
    for (const keys of choice ? [choice.keys] : fallback) {
      this.terminal.press(keys);
      await pause(400);
    }
  }
}
