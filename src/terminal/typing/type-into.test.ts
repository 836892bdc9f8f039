import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SmallAgent, type Prompt } from "../../../test/golden/terminal/small-terminal.js";
import type { Typing } from "../../runtime/terminal-observation.js";
import { typeInto } from "./type-into.js";
import { AddresseeGone, InputRefused, type Keyboard, type Typed } from "./typed-terminal.js";

const DOWN = "\x1b[B";
const TAKEN: Typed = { isTaken: true };

const NUMBERED: Prompt = {
  fingerprint: "f1",
  title: "Run it?",
  detail: "",
  choices: [
    { label: "Yes", keys: "1", meaning: "approve" },
    { label: "Yes, always", keys: "2", meaning: "approve_always" },
    { label: "No", keys: "3", meaning: "reject" },
  ],
};

/** A list that knows arrows only; the selection is on one of its rows. */
function arrowList(selected: number): Prompt {
  const labels = ["No", "Maybe", "Yes"];
  const choices = labels.map((label, at) => {
    const steps = at < selected ? "\x1b[A".repeat(selected - at) : DOWN.repeat(at - selected);
    const meaning = label === "Yes" ? "approve" : label === "No" ? "reject" : "other";
    return { label, keys: `${steps}\r`, meaning } as const;
  });
  return { fingerprint: "f2", title: "Trust it?", detail: "", choices };
}

const message = (text: string, force = false): Typing => ({
  type: "message",
  text,
  force,
  addressee: null,
});
const approve = (fingerprint: string): Typing => ({
  type: "choice",
  fingerprint,
  choice: { type: "meaning", meaning: "approve" },
  addressee: null,
});
/** Before its prompt was seen. */
const approveTold = (detail: string): Typing => ({
  type: "choice",
  fingerprint: null,
  asked: { title: "Bash", detail, note: "" },
  choice: { type: "meaning", meaning: "approve" },
  addressee: null,
});
const reply = (text: string): Typing => ({
  type: "choice",
  fingerprint: "f1",
  choice: { type: "text", text },
  addressee: null,
});

let agent: SmallAgent;

beforeEach(() => {
  vi.useFakeTimers();
  agent = new SmallAgent();
});

afterEach(() => {
  vi.useRealTimers();
});

test("a message is pasted, and entered when it stands in the box", async () => {
  expect(await agent.type(message("two\nlines"))).toEqual(TAKEN);
  expect(agent.sent).toEqual([
    [1, "\x1b[200~two\nlines\x1b[201~"],
    [2, "\r"],
  ]);
});

test("nothing in a message presses a key or ends the paste", async () => {
  await agent.type(message("a\x1b[201~\rb\x03\x1b[A\tc\u009b201~\r\nd"));
  expect(agent.sent[0]).toEqual([1, "\x1b[200~a\nb[A\tc201~\nd\x1b[201~"]);
});

test("an agent that is about to be ready is waited for", async () => {
  agent.activity = "unknown";
  setTimeout(() => {
    agent.activity = "idle";
    agent.print();
  }, 2_000);
  expect(await agent.type(message("hello"))).toEqual(TAKEN);
});

test("one that shows its input box and does not listen yet is waited for, and a prompt that came meanwhile is seen", async () => {
  agent.isOfShell = true;
  agent.takesPastes = false;
  setTimeout(() => {
    agent.takesPastes = true;
    agent.print();
  }, 15_000);
  expect(await agent.type(message("hello"))).toEqual(TAKEN);
  expect(agent.sent).toEqual([
    [1, "\x1b[200~hello\x1b[201~"],
    [2, "\r"],
  ]);
  const asking = new SmallAgent();
  asking.takesPastes = false;
  setTimeout(() => {
    asking.takesPastes = true;
    asking.ask(NUMBERED);
    asking.print();
  }, 2_000);
  expect((await asking.type(message("hello"))).isTaken).toBe(false);
  expect(asking.sent).toEqual([]);
});

test.each(["approval", "question"] as const)(
  "a screen with a prompt (%s) is not typed into",
  async (activity) => {
    agent.ask(NUMBERED);
    agent.activity = activity;
    expect(await agent.type(message("hello"))).toEqual({
      isTaken: false,
      reason: "The screen shows a prompt, which a message must not answer: Run it?",
    });
    expect(agent.sent).toEqual([]);
  },
);

test("one that does not get ready is not typed into", async () => {
  agent.activity = "working";
  expect(await agent.type(message("hello"))).toEqual({
    isTaken: false,
    reason: "The agent is not ready for a message: its screen shows working.",
  });
  expect(agent.sent).toEqual([]);
});

test("a prompt that comes up after the paste gets no Enter", async () => {
  agent.onKeys = () => agent.ask(NUMBERED);
  expect((await agent.type(message("hello"))).isTaken).toBe(false);
  expect(agent.sent.map(([part]) => part)).toEqual([1]);
});

test("what stands in the box is taken away first, line by line", async () => {
  agent.input = "an old\nprompt";
  expect(await agent.type(message("hello"))).toEqual(TAKEN);
  expect(agent.sent).toEqual([
    [null, "\x05\x15"],
    [null, "\x7f"],
    [null, "\x05\x15"],
    [1, "\x1b[200~hello\x1b[201~"],
    [2, "\r"],
  ]);
});

test("what somebody types at the same moment is not sent with it", async () => {
  agent.personTypedAtMs = performance.now();
  setTimeout(() => {
    agent.input = "half a thought";
    agent.print();
  }, 50);
  expect((await agent.type(message("hello"))).isTaken).toBe(false);
  expect(agent.sent).toEqual([]);
  const mixed = new SmallAgent();
  mixed.onKeys = (keys) => {
    mixed.input = "half ";
    mixed.edit(keys);
  };
  expect((await mixed.type(message("hello"))).isTaken).toBe(false);
  expect(mixed.sent.map(([part]) => part)).toEqual([1]);
});

test("unless somebody is typing it, or it cannot be taken away", async () => {
  agent.input = "half a thought";
  agent.personTypedAtMs = performance.now();
  expect(await agent.type(message("hello"))).toEqual({
    isTaken: false,
    reason: "Somebody is typing at the terminal.",
  });
  expect(agent.sent).toEqual([]);
  const deaf = new SmallAgent();
  deaf.input = "stays";
  deaf.onKeys = () => undefined;
  expect((await deaf.type(message("hello"))).isTaken).toBe(false);
  expect(deaf.sent.every(([part]) => part === null)).toBe(true);
});

test("Enter is pressed once more when the text still stands there, and no more often", async () => {
  let enters = 0;
  agent.onKeys = (keys) => {
    if (keys !== "\r" || ++enters === 2) agent.edit(keys);
  };
  expect(await agent.type(message("hello"))).toEqual(TAKEN);
  expect(agent.sent.map(([part]) => part)).toEqual([1, 2, 3]);
  const deaf = new SmallAgent();
  deaf.onKeys = (keys) => {
    if (keys !== "\r") deaf.edit(keys);
  };
  expect(await deaf.type(message("hello"))).toEqual({
    isTaken: false,
    reason: "The program does not show that it has taken the message.",
  });
  expect(deaf.sent.map(([part]) => part)).toEqual([1, 2, 3]);
});

test.each([
  ["none", null],
  ["an empty one", ""],
])("a box that is drawn anew, and is %s meanwhile, has not taken the message", async (_name, shown) => {
  let enters = 0;
  agent.onKeys = (keys) => {
    enters += keys === "\r" ? 1 : 0;
    if (keys !== "\r" || enters === 2) {
      agent.edit(keys);
      return;
    }
    // The first Enter is lost, and the screen is cleared for a moment.
    const { input } = agent;
    agent.input = shown;
    setTimeout(() => {
      agent.input = input;
      agent.print();
    }, 300);
  };
  expect(await agent.type(message("hello"))).toEqual(TAKEN);
  expect(agent.sent.map(([part]) => part)).toEqual([1, 2, 3]);
  const covered = new SmallAgent();
  covered.onKeys = (keys) => {
    covered.edit(keys);
    if (keys !== "\r") return;
    covered.activity = "unknown";
    covered.input = null;
  };
  expect(await covered.type(message("hello"))).toEqual(TAKEN);
  expect(covered.sent.map(([part]) => part)).toEqual([1, 2]);
});

test("after a crash nothing is done twice", async () => {
  agent.input = "hello";
  expect(await agent.type(message("hello"), 1)).toEqual(TAKEN);
  expect(agent.sent).toEqual([[2, "\r"]]);
  const entered = new SmallAgent();
  entered.activity = "working";
  expect(await entered.type(message("hello"), 2)).toEqual(TAKEN);
  expect(entered.sent).toEqual([]);
});

test("after a crash a prompt that came up meanwhile gets no Enter, and neither does a screen that is not there", async () => {
  agent.ask(NUMBERED);
  expect(await agent.type(message("hello"), 1)).toEqual({
    isTaken: false,
    reason: "The screen shows a prompt, which a message must not answer: Run it?",
  });
  const mixed = new SmallAgent();
  mixed.input = "half hello";
  expect((await mixed.type(message("hello"), 1)).isTaken).toBe(false);
  const dark = new SmallAgent();
  dark.isDark = true;
  expect(await dark.type(message("hello"), 1)).toEqual({
    isTaken: false,
    reason: "The screen shows nothing that can be read.",
  });
  expect([agent.sent, mixed.sent, dark.sent]).toEqual([[], [], []]);
});

test("after a crash a screen that is being made is waited for", async () => {
  agent.isDark = true;
  agent.input = "hello";
  setTimeout(() => {
    agent.isDark = false;
    agent.print();
  }, 1_000);
  expect(await agent.type(message("hello"), 1)).toEqual(TAKEN);
  expect(agent.sent).toEqual([[2, "\r"]]);
});

test("a shell in front gets neither a message nor an answer, forced or not", async () => {
  agent.program = { type: "shell" };
  agent.activity = "shell";
  const shellInFront: Typed = {
    isTaken: false,
    reason: "A shell is in front, which would run what is typed.",
    isGone: true,
  };
  expect(await agent.type(message("one\ntwo"))).toEqual(shellInFront);
  expect(await agent.type(message("one", true))).toEqual(shellInFront);
  expect(await agent.type(approve("f1"))).toEqual(shellInFront);
  expect([agent.sent, agent.holds]).toEqual([[], []]);
});

test("a program with the whole screen gets nothing, one without pastes one line, and in front of a shell none", async () => {
  agent.program = { type: "other", command: "vi" };
  agent.activity = "unknown";
  agent.isFullScreen = true;
  expect((await agent.type(message("hello"))).isTaken).toBe(false);
  agent.isFullScreen = false;
  agent.takesPastes = false;
  expect((await agent.type(message("two\nlines"))).isTaken).toBe(false);
  expect(agent.sent).toEqual([]);
  expect(await agent.type(message("one\tline"))).toEqual(TAKEN);
  expect(agent.sent).toEqual([
    [1, "one line"],
    [2, "\r"],
  ]);
  agent.isOfShell = true;
  expect(await agent.type(message("one line"))).toEqual({
    isTaken: false,
    reason: "The program does not take pastes, and a shell waits behind it.",
  });
});

test("a message and an answer are typed in a hold for their addressee; keys that interrupt are not", async () => {
  const addressee = { pid: 7, start: "7@boot" };
  expect(await agent.type({ type: "message", text: "hello", force: false, addressee })).toEqual(TAKEN);
  agent.activity = "working";
  agent.onKeys = () => undefined;
  await agent.type({ type: "keys", keys: ["\x1b"] });
  agent.ask(NUMBERED);
  agent.onKeys = () => agent.answered();
  expect(await agent.type({ ...approve("f1"), addressee } as Typing)).toEqual(TAKEN);
  const held = { addressee, isTaken: true };
  expect(agent.holds).toEqual([held, held]);
});

test("what was not taken is taken back; what only seemed to be taken was not", async () => {
  agent.activity = "working";
  await agent.type(message("hello"));
  expect(agent.holds).toEqual([{ addressee: null, isTaken: false }]);
  const deaf = new SmallAgent();
  deaf.onKeys = () => undefined;
  deaf.holdEnd = { isGone: false, unreadBytes: 6 };
  expect(await deaf.type(message("hello"))).toEqual({
    isTaken: false,
    reason: "The program has not read all of it.",
  });
  const slow = new SmallAgent();
  // A second Enter is left over.
  slow.holdEnd = { isGone: false, unreadBytes: 1 };
  expect(await slow.type(message("hello"))).toEqual(TAKEN);
});

test("an agent that has gone before or meanwhile gets nothing more; one that has taken it before has taken it", async () => {
  const gone: Typed = { isTaken: false, reason: "It is gone.", isGone: true };
  agent.gone = new AddresseeGone("It is gone.");
  expect(await agent.type(message("hello"))).toEqual(gone);
  expect(agent.sent).toEqual([]);
  const dying = new SmallAgent();
  dying.onKeys = (keys) => {
    dying.edit(keys);
    dying.gone = new AddresseeGone("It is gone.");
    dying.holdEnd = { isGone: true, unreadBytes: 9 };
  };
  expect(await dying.type(message("hello"))).toEqual({
    isTaken: false,
    reason: "The program that it was meant for is gone. 9 bytes that it had not read were taken back.",
    isGone: true,
  });
  expect(dying.sent.map(([part]) => part)).toEqual([1]);
  const late = new SmallAgent();
  late.holdEnd = { isGone: true, unreadBytes: 0 };
  expect(await late.type(message("hello"))).toEqual(TAKEN);
});

test("a person can have a screen typed into that nobody understands, but no prompt that is known", async () => {
  agent.activity = "unknown";
  agent.onKeys = () => undefined;
  expect((await agent.type(message("hello"))).isTaken).toBe(false);
  expect(agent.sent).toEqual([]);
  expect(await agent.type(message("hello", true))).toEqual(TAKEN);
  expect(agent.sent).toEqual([
    [1, "\x1b[200~hello\x1b[201~"],
    [2, "\r"],
  ]);
  const dark = new SmallAgent();
  dark.isDark = true;
  expect(await dark.type(message("hello", true))).toEqual(TAKEN);
  const likely = new SmallAgent();
  likely.ask({ ...NUMBERED, choices: [] });
  likely.basis = "structure";
  expect((await likely.type(message("hello"))).isTaken).toBe(false);
  expect(await likely.type(message("hello", true))).toEqual(TAKEN);
  const asking = new SmallAgent();
  asking.ask(NUMBERED);
  expect(await asking.type(message("hello", true))).toEqual({
    isTaken: false,
    reason: "The screen shows a prompt, which a message must not answer: Run it?",
  });
  expect(asking.sent).toEqual([]);
});

test("a prompt that no rule knows is answered only in the terminal", async () => {
  agent.ask(NUMBERED);
  agent.basis = "structure";
  for (const answer of [approve("f1"), reply("Yes")]) {
    expect(await agent.type(answer)).toEqual({
      isTaken: false,
      reason: "Nobody knows which keys answer this prompt: answer it in the terminal.",
    });
  }
  expect(agent.sent).toEqual([]);
});

test("an answer presses the key that the prompt names, and only while it is shown", async () => {
  agent.ask(NUMBERED);
  agent.onKeys = () => agent.answered();
  expect(await agent.type(approve("another"))).toEqual({
    isTaken: false,
    reason: "The prompt is not on the screen any more.",
  });
  expect(agent.sent).toEqual([]);
  expect(await agent.type(approve("f1"))).toEqual(TAKEN);
  expect(agent.sent).toEqual([[2, "1"]]);
});

test("a prompt that was told before it is drawn is waited for, and no other one is answered", async () => {
  const asks = (command: string): Prompt => ({ ...NUMBERED, title: "Bash command", detail: command });
  agent.ask(asks("rm -rf build"));
  setTimeout(() => {
    agent.ask(asks("git status"));
    agent.print();
  }, 1_000);
  const shown: (string | undefined)[] = [];
  agent.onKeys = () => {
    shown.push(agent.prompt?.detail);
    agent.answered();
  };
  expect(await agent.type(approveTold("git status"))).toEqual(TAKEN);
  expect([agent.sent, shown]).toEqual([[[2, "1"]], ["git status"]]);
  const other = new SmallAgent();
  other.ask(asks("rm -rf build"));
  expect((await other.type(approveTold("git status"))).isTaken).toBe(false);
  expect(other.sent).toEqual([]);
});

test("the selection is moved and looked at before it is confirmed, also when a key gets lost", async () => {
  let selected = 0;
  let isListening = false;
  agent.ask(arrowList(selected));
  agent.onKeys = (keys) => {
    if (keys === "\r") agent.answered();
    else {
      if (isListening) agent.prompt = arrowList((selected += 1));
      isListening = true;
    }
  };
  expect(await agent.type(approve("f2"))).toEqual(TAKEN);
  expect(agent.sent).toEqual([
    [1, DOWN],
    [3, DOWN],
    [5, DOWN],
    [6, "\r"],
  ]);
});

test("a list whose selection does not follow is not confirmed", async () => {
  agent.ask(arrowList(0));
  agent.onKeys = () => undefined;
  expect(await agent.type(approve("f2"))).toEqual({
    isTaken: false,
    reason: "The prompt on the screen does not take the answer.",
  });
  expect(agent.sent.map(([, keys]) => keys)).toEqual([DOWN, DOWN, DOWN]);
});

test("a key that nothing came of is pressed again; one that something came of is not", async () => {
  let presses = 0;
  agent.ask(NUMBERED);
  agent.onKeys = () => {
    if (++presses === 2) agent.answered();
  };
  expect(await agent.type(approve("f1"))).toEqual(TAKEN);
  expect(agent.sent).toEqual([
    [2, "1"],
    [4, "1"],
  ]);
  const again = new SmallAgent();
  again.ask(NUMBERED);
  // The same is asked once more at once.
  again.onKeys = () => {
    again.transcript = "It ran.";
    again.ask({ ...NUMBERED });
  };
  expect((await again.type(approve("f1"))).isTaken).toBe(false);
  expect(again.sent).toEqual([[2, "1"]]);
});

test("an answer that was pressed before a crash counts when the prompt is gone", async () => {
  expect(await agent.type(approve("f1"), 2)).toEqual(TAKEN);
  expect((await agent.type(approve("f1"), 1)).isTaken).toBe(false);
  expect(agent.sent).toEqual([]);
});

test("a key that was pressed before a crash is not pressed for a prompt that asks the same once more", async () => {
  agent.ask(NUMBERED);
  // It is asked anew: should the key not have been heard, nothing is lost.
  expect(await agent.type(approve("f1"), 2)).toEqual(TAKEN);
  // Its text may not have been entered.
  expect((await agent.type(reply("Yes"), 2)).isTaken).toBe(false);
  expect(agent.sent).toEqual([]);
});

test("a question is answered by the choice that the text names, or by the text where one is taken", async () => {
  const choices = [
    { label: "Red", keys: "1", meaning: "other" },
    { label: "Blue", keys: "2", meaning: "other" },
  ] as const;
  const ask = (more: Prompt["choices"]) => {
    const asked = new SmallAgent();
    asked.ask({ ...NUMBERED, choices: [...choices, ...more] });
    asked.activity = "question";
    asked.onKeys = (keys) => {
      if (keys === "\r" || more.length === 0) asked.answered();
    };
    return asked;
  };
  const named = ask([]);
  expect([await named.type(reply("blue")), named.sent]).toEqual([TAKEN, [[2, "2"]]]);
  const numbered = ask([]);
  expect([await numbered.type(reply("1")), numbered.sent]).toEqual([TAKEN, [[2, "1"]]]);
  const closed = ask([]);
  expect([await closed.type(reply("green")), closed.sent]).toEqual([
    { isTaken: false, reason: "The prompt on the screen has no such answer." },
    [],
  ]);
  const open = ask([{ label: "Type something.", keys: "3", meaning: "other" }]);
  expect([await open.type(reply("green")), open.sent]).toEqual([
    TAKEN,
    [
      [2, "3"],
      [3, "\x1b[200~green\x1b[201~"],
      [4, "\r"],
    ],
  ]);
});

test("the second key of an interruption is pressed only while it still works; an idle agent gets none", async () => {
  const keys: Typing = { type: "keys", keys: ["\x1b", "\x1b"] };
  agent.activity = "working";
  agent.onKeys = () => undefined;
  await agent.type(keys);
  expect(agent.sent).toEqual([
    [1, "\x1b"],
    [2, "\x1b"],
  ]);
  const quick = new SmallAgent();
  quick.activity = "working";
  quick.onKeys = () => (quick.activity = "idle");
  await quick.type(keys);
  expect(quick.sent).toEqual([[1, "\x1b"]]);
  await quick.type(keys);
  expect(quick.sent.length).toBe(1);
});

test("what the keeper refuses was not typed", async () => {
  const send = () => Promise.reject(new InputRefused("The agent no longer reads input."));
  const release = () => Promise.resolve({ isGone: false, unreadBytes: 0 });
  const keyboard: Keyboard = { send, hold: () => Promise.resolve({ send, release }) };
  const refusing = typeInto(agent, message("hello"), 0, keyboard, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await refusing).toEqual({ isTaken: false, reason: "The agent no longer reads input." });
});
