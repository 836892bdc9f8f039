import { describe, expect, test } from "vitest";
import type { Conversation, OfferedTool, Utterance } from "./conversation.js";
import { planReply } from "./reply.js";
import { ScriptError } from "./script.js";

const schema = (required: readonly string[], ...optional: readonly string[]) => ({
  properties: Object.fromEntries([...required, ...optional].map((name) => [name, { type: "string" }])),
  required,
});
const tool = (name: string, shape: OfferedTool["schema"] = {}, freeform = false): OfferedTool => ({
  name,
  schema: shape,
  freeform,
});
const BASH = tool("Bash", schema(["command"], "description"));
const WRITE = tool("Write", schema(["file_path", "content"]));

function conversation(
  utterances: readonly Utterance[],
  tools: readonly OfferedTool[] = [BASH, WRITE],
): Conversation {
  return { model: "m", stream: true, utterances, tools, setting: "Working directory: /tmp/x\n" };
}
const user = (text: string): Utterance => ({ role: "user", text });
const result = (text = "ok"): Utterance => ({ role: "tool", text });

function said(utterances: readonly Utterance[], tools?: readonly OfferedTool[]) {
  const { text, calls } = planReply(conversation(utterances, tools), "r").reply;
  return { text: text.join("|"), calls };
}

const LS = { name: "Bash", input: { command: "ls", description: "Run a command" } };
const WRITTEN = { name: "Write", input: { file_path: "/tmp/x/a", content: "b" } };

describe("the step", () => {
  const prompt = user("[[shell:ls]] [[write:a=b]] [[text:done]] [[chunks:2]]");

  test("follows from the tool results since the prompt", () => {
    expect(said([prompt])).toEqual({ text: "I will us|e a tool.", calls: [LS] });
    expect(said([prompt, result()])).toEqual({ text: "I will us|e a tool.", calls: [WRITTEN] });
    expect(said([prompt, result(), user("<note>"), result()])).toEqual({ text: "do|ne", calls: [] });
  });

  test("of an earlier prompt does not count", () => {
    expect(said([user("[[shell:x]]"), result(), prompt])).toEqual({
      text: "I will us|e a tool.",
      calls: [LS],
    });
  });

  test("can be all of them at once", () => {
    const all = user("[[shell:ls]] [[write:a=b]] [[parallel]]");
    expect(said([all]).calls).toEqual([LS, WRITTEN]);
    expect(said([all, result(), result()])).toEqual({
      text: "Done, a|fter 2 |tool re|sults.",
      calls: [],
    });
  });
});

test("without directives, or without tools, it is plain text", () => {
  const plain = { text: "Understood.", calls: [] };
  expect(said([user("hello")])).toEqual(plain);
  expect(said([user("[[shell:ls]]")], [])).toEqual(plain);
});

test("it thinks before its first step only", () => {
  const prompt = user("[[think:hm]] [[shell:ls]]");
  expect(planReply(conversation([prompt]), "r").reply.think).toBe("hm");
  expect(planReply(conversation([prompt, result()]), "r").reply.think).toBe(null);
});

test("an answer that must be JSON is filled in", () => {
  const answerSchema = {
    properties: {
      a: { type: "STRING", enum: ["flash", "pro"] },
      b: { type: "INTEGER" },
      c: { type: "BOOLEAN" },
      d: {},
    },
  };
  const { reply } = planReply({ ...conversation([user("[[hang]]")]), answerSchema }, "r");
  expect(reply.text).toEqual([JSON.stringify({ a: "flash", b: 1, c: false, d: "x" })]);
});

describe("a step becomes a call of what the agent offers", () => {
  test("a shell that takes a list, and wants more than a command", () => {
    const shell = tool("shell", {
      properties: { command: { type: "array" }, dir: { type: "string" }, deep: { type: "boolean" } },
      required: ["command", "dir", "deep"],
    });
    const input = { command: ["bash", "-lc", "ls"], dir: "x", deep: false };
    expect(said([user("[[shell:ls]]")], [shell]).calls).toEqual([{ name: "shell", input }]);
  });

  test("a patch where nothing writes, and a shell where nothing patches", () => {
    const write = [user("[[write:a.txt=b\nc]]")];
    const patch = "*** Begin Patch\n*** Add File: a.txt\n+b\n+c\n*** End Patch\n";
    expect(said(write, [tool("apply_patch", {}, true)]).calls).toEqual([
      { name: "apply_patch", text: patch },
    ]);
    expect(said(write, [tool("apply_patch", schema(["patchText"]))]).calls).toEqual([
      { name: "apply_patch", input: { patchText: patch } },
    ]);
    expect(said([user("[[write:a=b]]")], [BASH]).calls).toEqual([
      { name: "Bash", input: { command: "printf '%s\\n' 'b' > a", description: "Run a command" } },
    ]);
  });

  test("a question with options, in the agent's own form", () => {
    const ask = [user("[[ask:Which?|red|blue]]")];
    const option = { properties: { label: {}, description: {} } };
    const questions = { items: { properties: { id: {}, question: {}, options: { items: option } } } };
    const options = ["red", "blue"].map((label) => ({ label, description: `Choose ${label}` }));
    expect(said(ask, [tool("request_user_input", { properties: { questions } })]).calls).toEqual([
      {
        name: "request_user_input",
        input: { questions: [{ question: "Which?", header: "Choice", options, id: "choice" }] },
      },
    ]);
    expect(said(ask, [tool("ask_user", { properties: { question: {}, choices: {} } })]).calls).toEqual([
      { name: "ask_user", input: { question: "Which?", choices: ["red", "blue"] } },
    ]);
  });

  test("a tool that is named, with its group", () => {
    const grouped = { ...tool("spawn"), namespace: "agents" };
    expect(said([user('[[tool:spawn={"a":1}]]')], [grouped]).calls).toEqual([
      { name: "spawn", namespace: "agents", input: { a: 1 } },
    ]);
  });

  test("an input that takes up what an earlier result said", () => {
    const prompt = user('[[shell:ls]] [[tool:wait={"for":["{{id}}"]}]]');
    const results = [result('{"id": "one", "more": 1}')];
    expect(said([prompt, ...results]).calls).toEqual([{ name: "wait", input: { for: ["one"] } }]);
    expect(() => said([prompt, result("none")])).toThrow(new ScriptError("no result has a field id"));
  });

  test("what no tool can do is a mistake", () => {
    expect(() => said([user("[[ask:Which?]]")])).toThrow(
      new ScriptError("no question tool among Bash, Write"),
    );
  });
});

test("what an agent asks for itself, with the whole conversation, is no step of the person's", () => {
  const asked = [user("[[shell:ls]] [[text:done]]"), user("Reply with ONLY the suggestion, no quotes.")];
  expect(planReply(conversation(asked), "r")).toMatchObject({ script: { id: null }, reply: { calls: [] } });
  const setting = "You are the managed memory extraction subagent.";
  const remembering = { ...conversation([user("[[shell:ls]]"), user("What is to be kept?")]), setting };
  expect(planReply(remembering, "r")).toMatchObject({
    prompt: "",
    reply: { text: ["Understood."], calls: [] },
  });
});
