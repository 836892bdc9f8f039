/** What else can be on an agent's screen: drafts, lists, other sizes, much output, plans. Begins and ends idle. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Activity } from "../../src/core/index.js";
import { AgentHand, BACKSPACE, BEFORE_ANSWER_MS, ESC, type Step } from "./agent-hand.js";
import { pause, type Size } from "./live-terminal.js";

const PAGE_UP = "\x1b[5~";
const PAGE_DOWN = "\x1b[6~";
const SHIFT_TAB = "\x1b[Z";
/** Long enough to look at what it does meanwhile. */
const BUSY = "[[wait:9000]]";
const PAGES = 5;
const MODES_MAX = 6;
const RECITED_AFTER_MS = 12_000;
const WORKS_AFTER_MS = 1_500;
const DRAWN_AFTER_MS = 1_000;
const VERSES = Array.from({ length: 70 }, (_, at) => `Verse ${at + 1}: ${at * 13} birds.`).join("\n");

export class FurtherPlay extends AgentHand {
  steps(): readonly Step[] {
    return [
      ["draft", () => this.draft()],
      ["lists", () => this.lists()],
      ["resize", () => this.resize()],
      ["flood", () => this.flood()],
      ["plan", () => this.plan()],
    ];
  }

  /** A text of several lines, before, during and after a turn. */
  private async draft(): Promise<void> {
    this.paste(`First line.\nSecond line, a little longer.\n\nFourth line. ${BUSY} [[text:Draft taken.]]`);
    await pause(WORKS_AFTER_MS);
    this.shot("70-draft", "idle");
    await this.enterAndAsk();
    await pause(WORKS_AFTER_MS);
    this.shot("71-draft-sent", "working");
    this.paste("One more.\nIn three lines,\nfor later. [[text:Later is now.]]");
    await pause(WORKS_AFTER_MS);
    this.shot("72-draft-while-working", "working");
    await this.untilTurnEnds(/Draft taken\.(?!\]\])/);
    this.shot("73-draft-after-turn", "idle");
    await this.enterAndAsk();
    await this.untilTurnEnds(/Later is now\.(?!\]\])/);
  }

  /** Lists that open below or above the input box while somebody types: of files, of commands, of keys. */
  private async lists(): Promise<void> {
    for (const name of ["apples.txt", "berries.txt", "cherries.txt"])
      writeFileSync(join(this.project, name), "");
    const lists = [
      ["@", "files"],
      ["/", "commands"],
    ] as const;
    for (const [at, [key, name]] of lists.entries()) await this.list(key, `${74 + 2 * at}-${name}`, "idle");
    await this.terminal.type("?");
    await pause(DRAWN_AFTER_MS);
    this.shot("78-question-mark", "idle");
    await this.terminal.type(BACKSPACE);
    await pause(DRAWN_AFTER_MS);
    await this.ask(`Wait. ${BUSY} [[text:Waited.]]`);
    await pause(WORKS_AFTER_MS);
    for (const [at, [key, name]] of lists.entries())
      await this.list(key, `${75 + 2 * at}-${name}-while-working`, "working");
    await this.untilTurnEnds(/Waited\.(?!\]\])/);
  }

  private async list(key: string, name: string, activity: Activity): Promise<void> {
    await this.terminal.type(key);
    await pause(DRAWN_AFTER_MS);
    this.listShot(name, activity);
    await this.terminal.type(BACKSPACE);
    await pause(DRAWN_AFTER_MS);
  }

  /** Another size, while it works, while it asks and while it waits. */
  private async resize(): Promise<void> {
    const { size, terminal, dialect } = this;
    const smaller: Size = { cols: size.cols - 22, rows: size.rows - 5 };
    const asks = dialect.shell("touch resized.txt");
    await this.ask(`Resize. ${BUSY} ${asks} [[text:Resized.]]`);
    await pause(WORKS_AFTER_MS);
    terminal.resize(smaller);
    await pause(DRAWN_AFTER_MS);
    this.shot("80-smaller-working", "working", smaller);
    terminal.resize(size);
    await pause(DRAWN_AFTER_MS);
    this.shot("81-larger-working", "working");
    if (dialect.permission) {
      await terminal.until(dialect.permission);
      await pause(BEFORE_ANSWER_MS);
      terminal.resize(smaller);
      await pause(BEFORE_ANSWER_MS);
      this.shot("82-smaller-permission", "approval", smaller);
      terminal.resize(size);
      await pause(BEFORE_ANSWER_MS);
      this.shot("83-larger-permission", "approval");
      await this.answer("approve");
    }
    await this.untilTurnEnds(/Resized\.(?!\]\])/);
    terminal.resize(smaller);
    await pause(BEFORE_ANSWER_MS);
    this.shot("84-smaller-idle", "idle", smaller);
    terminal.resize(size);
    await pause(BEFORE_ANSWER_MS);
    this.shot("85-larger-idle", "idle");
  }

  /** More than fits on the screen, printed and said; and a person who reads what is above it. */
  private async flood(): Promise<void> {
    const { terminal, dialect } = this;
    await this.send(`Print. ${dialect.shell("touch flood.txt; seq 1 300")} [[text:Printed all.]]`);
    await this.approved();
    await this.untilTurnEnds(/Printed all\.(?!\]\])/);
    this.shot("86-much-printed", "idle");
    await this.ask(`Recite. [[slow:250]] [[chunks:40]] [[text:${VERSES}\nThe end of it.]]`);
    await pause(5_000);
    this.shot("87-much-said", "working");
    terminal.press(PAGE_UP);
    await pause(DRAWN_AFTER_MS);
    this.shot("88-scrolled-working", "working");
    // Who reads above sees nothing of the end.
    await pause(RECITED_AFTER_MS);
    await this.toBottom();
    this.shot("89-recited", "idle");
    terminal.press(PAGE_UP);
    await pause(DRAWN_AFTER_MS);
    this.shot("90-scrolled-idle", "idle");
    await this.toBottom();
  }

  private async toBottom(): Promise<void> {
    for (let count = 0; count < PAGES; count += 1) {
      this.terminal.press(PAGE_DOWN);
      await pause(DRAWN_AFTER_MS / PAGES);
    }
  }

  private async plan(): Promise<void> {
    const { plan } = this.dialect;
    if (!plan) return;
    for (let count = 0; count < MODES_MAX && !plan.mode.test(this.terminal.text()); count += 1) {
      this.terminal.press(SHIFT_TAB);
      await pause(DRAWN_AFTER_MS);
    }
    this.shot("91-plan-mode", "idle");
    await this.send(`Plan. ${plan.directive} [[text:Planned.]]`);
    await this.terminal.until(plan.seen);
    await pause(BEFORE_ANSWER_MS);
    this.shot("92-plan", "approval");
    this.terminal.press(ESC);
    await pause(2_500);
    this.shot("93-plan-refused", "idle");
  }
}
