/** What is done with every agent, step by step; each step knows what the agent is doing, and says so of its screen. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readScreen, type ScreenChoice } from "../../src/core/index.js";
import { AgentHand, BACKSPACE, BEFORE_ANSWER_MS, BETWEEN_ESC_MS, ESC, type Step } from "./agent-hand.js";
import { FurtherPlay } from "./further-play.js";
import { pause } from "./live-terminal.js";

const LONG_COMMAND =
  "touch long.txt && echo a-command-that-goes-on-and-on-and-on-without-an-end && " +
  "printf '%s\\n' one two three four five six seven eight nine ten && echo 1. Yes && echo 2. No";
/** No two parts alike: some agents take repetition for a loop, and stop. */
const TALE = Array.from({ length: 24 }, (_, day) => `On day ${day + 1} it rained ${day * 7} mm.`).join(" ");

function anyOf(one: RegExp, other: RegExp | undefined): RegExp {
  return other ? new RegExp(`${one.source}|${other.source}`, "m") : one;
}

/** Longer than it takes to tell the tale. */
const STREAMED_AFTER_MS = 34_000;

/** For agents that have none of their own. */
const OTHER_DIALOG = `Do you want to proceed?
❯ 1. Yes
  2. No

Enter to select · ↑/↓ to navigate · Esc to cancel`;

export class AgentPlay extends AgentHand {
  /** The rows of a real dialog of this agent, to be printed where they are none. */
  private lookAlike = OTHER_DIALOG;

  /** The steps in order. One that fails says so, and the next begins from an idle agent again. */
  async play(only: readonly string[] | null): Promise<readonly string[]> {
    const failures: string[] = [];
    await this.start();
    const steps: readonly Step[] = [
      ["run", () => this.run()],
      ["edit", () => this.edit()],
      ["stream", () => this.stream()],
      ["long", () => this.long()],
      ["question", () => this.question()],
      ["errors", () => this.errors()],
      ["lookalikes", () => this.lookAlikes()],
      ["menu", () => this.menu()],
      ...new FurtherPlay(this.scene).steps(),
      // Some approve more than the one command from then on.
      ["always", () => this.always()],
      ["modes", () => this.modes()],
      ["end", () => this.end()],
    ];
    for (const [name, step] of steps) {
      if (only !== null && name !== "end" && !only.includes(name)) continue;
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
    return failures;
  }

  private async start(): Promise<void> {
    const { terminal, dialect } = this;
    await terminal.until(/\$ $|\$$/m);
    await terminal.type(this.scene.command);
    await this.enter();
    if (dialect.trust) {
      await this.startsUntil(dialect.trust);
      await pause(BEFORE_ANSWER_MS);
      this.shot("01-trust", "approval");
      await this.answer("approve");
    }
    if (!dialect.trust) await this.startsUntil(anyOf(dialect.ready, dialect.mayTrust));
    if (dialect.mayTrust?.test(terminal.text())) {
      await pause(BEFORE_ANSWER_MS);
      this.shot("01-trust", "approval");
      await this.answer("approve");
    }
    await terminal.until(dialect.ready, 60_000);
    await pause(3_000);
    await terminal.settled();
    this.shot("02-start-idle", "idle");
  }

  private async run(): Promise<void> {
    const { terminal, dialect } = this;
    const command = "touch one.txt && sleep 5 && echo hi";
    await this.type(`Run it. [[wait:6000]] ${dialect.shell(command)} [[text:All done.]]`);
    this.shot("03-typed", "idle");
    await this.enterAndAsk();
    await pause(1_500);
    this.shot("04-working", "working");
    if (dialect.permission) {
      await terminal.until(dialect.permission);
      await pause(BEFORE_ANSWER_MS);
      this.shot("05-permission", "approval");
      const rows = terminal.text().trimEnd().split("\n");
      this.lookAlike = rows.slice(rows.findLastIndex((row) => row.includes("]]")) + 1).join("\n");
      await pause(2_500);
      this.shot("06-permission-later", "approval");
      await this.answer("approve");
    } else await pause(6_000);
    await pause(2_000);
    this.shot("07-tool-running", "working");
    await this.untilTurnEnds(/All done\.(?!\]\])/);
    this.shot("08-idle-after-turn", "idle");
    this.expectFile("one.txt", true);
  }

  private async edit(): Promise<void> {
    const { editPermission } = this.dialect;
    if (!editPermission) return;
    const { edit, editsByPath } = this.dialect;
    const call = editsByPath ? edit.replace("new.txt", join(this.project, "new.txt")) : edit;
    await this.send(`Write. ${call} [[text:Written.]]`);
    await this.terminal.until(editPermission);
    await pause(BEFORE_ANSWER_MS);
    this.shot("10-edit-permission", "approval");
    await this.answer("reject");
    await this.terminal.gone(editPermission);
    await this.secondStep("09-reject-step", "reject");
    await pause(2_500);
    this.shot("11-edit-rejected", "idle");
    this.expectFile("new.txt", false);
  }

  private async stream(): Promise<void> {
    const { terminal, dialect } = this;
    const talk = `Talk. [[id:talk]] [[slow:300]] [[chunks:90]] [[text:${TALE}]]`;
    await this.ask(talk);
    await pause(4_000);
    this.shot("12-streaming", "working");
    await terminal.type("/mo");
    await pause(800);
    this.listShot("17-slash-while-working", "working");
    await terminal.type(BACKSPACE.repeat(3));
    await this.type("and then this [[text:Second answer.]]");
    this.shot("13-typed-while-working", "working");
    if (dialect.queue === undefined) {
      await this.scene.model.isLeftAlone(STREAMED_AFTER_MS);
      this.shot("14-typed-after-turn", "idle");
      await this.enterAndAsk();
    } else {
      terminal.press(dialect.queue);
      await pause(1_200);
      this.shot("14-queued", "working");
    }
    await this.untilTurnEnds(/Second answer\.(?!\]\])/, 60_000);
    await this.ask(talk);
    await pause(4_000);
    const before = this.scene.model.brokenOff();
    for (let tries = 0; this.scene.model.brokenOff() === before && tries < 4; tries += 1) {
      for (const [at, key] of dialect.interrupt.entries()) {
        terminal.press(key);
        await pause(BETWEEN_ESC_MS);
        if (at + 1 < dialect.interrupt.length) this.shot("15-esc-once", "working");
      }
      await pause(2_500);
    }
    this.shot("16-interrupted", "idle");
  }

  private async long(): Promise<void> {
    if (!this.dialect.permission) return;
    await this.send(`Long. ${this.dialect.shell(LONG_COMMAND)} [[text:That was long.]]`);
    await this.terminal.until(this.dialect.permission);
    await pause(BEFORE_ANSWER_MS);
    this.shot("20-long-permission", "approval");
    await this.answer("approve");
    await this.untilTurnEnds(/That was long\.(?!\]\])/);
    this.shot("21-long-done", "idle");
  }

  private async always(): Promise<void> {
    if (!this.dialect.permission) return;
    await this.send(`Always. ${this.dialect.shell("mkdir always")} [[text:Always so.]]`);
    await this.terminal.until(this.dialect.permission);
    await pause(BEFORE_ANSWER_MS);
    const { prompt } = readScreen(this.agent, this.terminal.screen());
    const lasts = prompt?.choices.some(({ meaning }) => meaning === "approve_always") ?? false;
    // Some ask each time.
    await this.answer(lasts ? "approve_always" : "approve");
    await this.secondStep("24-always-step", "approve_always");
    await this.untilTurnEnds(/Always so\.(?!\]\])/);
    this.expectFile("always", true);
  }

  /** Some ask once more, for words or whether it is really meant. */
  private async secondStep(name: string, meaning: ScreenChoice["meaning"]): Promise<void> {
    await pause(1_000);
    if (readScreen(this.agent, this.terminal.screen()).activity !== "approval") return;
    this.shot(name, "approval");
    await this.answer(meaning);
  }

  private async question(): Promise<void> {
    const { question } = this.dialect;
    if (!question) return;
    await this.send(`Ask. ${question.directive} [[text:Thanks for that.]]`);
    await this.terminal.until(question.seen);
    await pause(BEFORE_ANSWER_MS);
    this.shot("22-question", "question");
    await this.answer("other");
    await this.untilTurnEnds(/Thanks for that\.(?!\]\])/);
    this.shot("23-question-answered", "idle");
    if (question.several === undefined) return;
    await this.send(`Ask more. ${question.several} [[text:Thanks for both.]]`);
    await this.terminal.until(question.seen);
    await pause(BEFORE_ANSWER_MS);
    this.shot("25-questions", "question");
    await this.answer("other");
    await pause(BEFORE_ANSWER_MS);
    this.shot("26-next-question", "question");
    this.terminal.press(ESC);
    await pause(2_500);
  }

  private async errors(): Promise<void> {
    await this.ask("Fail once and for all. [[error:400]]");
    await pause(6_000);
    this.shot("30-failed", "idle");
    await this.ask("Fail for a while. [[error:503]]");
    await pause(3_000);
    if (this.dialect.givesUpSoon) await this.scene.model.isLeftAlone(9_000);
    else this.shot("31-retrying", "working");
    for (const key of this.dialect.interrupt) {
      this.terminal.press(key);
      await pause(BETWEEN_ESC_MS);
    }
    await this.scene.model.isLeftAlone(9_000);
    this.shot("32-retry-escaped", "idle");
    // Some put the text of the turn that was given up back into the input box.
    for (const key of this.dialect.clear ?? ["\x15"]) {
      this.terminal.press(key);
      await pause(BETWEEN_ESC_MS);
    }
  }

  /** A real dialog's text where it is no dialog: printed by a tool, said by the model, typed by a person. */
  private async lookAlikes(): Promise<void> {
    const { terminal, dialect } = this;
    writeFileSync(join(this.project, "menu.txt"), `${this.lookAlike}\n`);
    await this.send(`Show. ${dialect.shell("touch shown.txt; cat menu.txt")} [[text:Shown above.]]`);
    await this.approved();
    await this.untilTurnEnds(/Shown above\.(?!\]\])/);
    this.shot("40-lookalike-output", "idle");
    const said = `Say it. [[slow:150]] [[chunks:60]] [[text:${this.lookAlike}\n]]`;
    this.paste(said);
    await pause(1_500);
    this.shot("41-lookalike-pasted", "idle", dialect.pasteBreaks ? { covered: true } : {});
    await this.enterAndAsk();
    await pause(6_500);
    this.shot("42-lookalike-streaming", "working");
    await pause(9_000);
    await terminal.settled(1_500, 10_000);
    this.shot("43-lookalike-said", "idle");
    // A command that a person runs from the agent's own input box.
    await this.send("!cat menu.txt");
    await pause(3_000);
    this.shot("44-lookalike-by-hand", dialect.answersByHand ? "working" : "idle");
    terminal.press(ESC);
    await pause(2_000);
  }

  private async menu(): Promise<void> {
    const { menu } = this.dialect;
    if (!menu) return;
    await this.terminal.type(menu.command);
    await pause(1_000);
    this.listShot("50-slash-typed", "idle");
    await this.enter();
    await this.terminal.until(menu.seen);
    await pause(1_000);
    this.shot("51-menu", "question");
    this.terminal.press(ESC);
    await pause(1_500);
    this.shot("52-menu-closed", "idle");
  }

  private async modes(): Promise<void> {
    if (!this.dialect.hasModes) return;
    for (const name of ["55-mode", "56-next-mode", "57-third-mode"]) {
      this.terminal.press("\x1b[Z");
      await pause(1_200);
      this.shot(name, "idle");
    }
    await this.ask("Talk on. [[wait:5000]] [[text:Talked.]]");
    await pause(1_500);
    this.shot("58-working-in-mode", "working");
    await this.untilTurnEnds(/Talked\.(?!\]\])/);
  }

  private async end(): Promise<void> {
    const { terminal, dialect } = this;
    for (const part of dialect.exit) {
      if (dialect.takesWhole) terminal.press(part);
      else await terminal.type(part);
      await pause(1_000);
    }
    await terminal.until(/dev@box:~\/proj[$#]\s*$/, 20_000);
    await terminal.settled();
    // Who does not end its last row has the shell's prompt behind it.
    const isBehind = !/^dev@box[^\n]*\s*$/m.test(terminal.text());
    this.shot("60-goodbye", "shell", {
      agent: null,
      ...(isBehind ? { covered: true } : {}),
      ...(dialect.leavesSilently ? {} : { goodbye: this.agent }),
    });
  }
}
