import { expect, test } from "vitest";
import { elicitationAnswer, elicitationWords } from "./questions.js";

const FORM = {
  mcp_server_name: "crm",
  message: "Who are you?",
  requested_schema: {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", title: "Your name" },
      age: { type: "integer" },
      role: { type: "string", enum: ["dev", "ops"], enumNames: ["Developer", "Operator"] },
    },
  },
};

function oneField(property: object) {
  return { requested_schema: { properties: { it: property } } } as never;
}

test("a form is told field by field", () => {
  expect(elicitationWords(FORM)).toEqual({
    title: "crm asks: Who are you?",
    detail:
      "Who are you?\n  name (Your name): string\n  age: integer, if you like\n" +
      "  role: 1) Developer, 2) Operator, if you like\n" +
      "Answer with a line for each, such as `name: value`.\nAnswer `decline` to refuse.",
  });
});

test("a page to visit", () => {
  expect(elicitationWords({ url: "https://example.com", mode: "url" })).toEqual({
    title: "an MCP server asks: It asks something.",
    detail:
      "It asks something.\nOpen https://example.com, and answer here when you are done.\nAnswer `decline` to refuse.",
  });
  expect(elicitationAnswer({ mode: "url" }, "done")).toEqual({ action: "accept", content: {} });
});

test.each([
  ["decline", { action: "decline" }],
  ["Cancel", { action: "cancel" }],
  ["name: Ann\nAGE = 7\nrole: Operator", { action: "accept", content: { name: "Ann", age: 7, role: "ops" } }],
  ["your name: Ann", { action: "accept", content: { name: "Ann" } }],
  ['{"name":"Ann","age":7}', { action: "accept", content: { name: "Ann", age: 7 } }],
  ["Ann\n7\n1", { action: "accept", content: { name: "Ann", age: 7, role: "dev" } }],
  ["Ann", { action: "accept", content: { name: "Ann" } }],
])("the reply %j to a form", (reply, answer) => {
  expect(elicitationAnswer(FORM, reply)).toEqual(answer);
});

test.each([
  [{ type: "boolean" }, "Yes", true],
  [{ type: "boolean" }, "no", false],
  [{ type: "number" }, "1.5", 1.5],
  [{ type: "number" }, "many", "many"],
  [{ type: "string" }, "it: a: b", "a: b"],
  [{ oneOf: [{ const: "a", title: "Alpha" }, { const: "b" }] }, "alpha", "a"],
  [{ enum: [1, 2] }, "2", 2],
  [{ type: "array", items: { enum: ["x", "y", "z"] } }, "1, z, w", ["x", "z", "w"]],
])("the only field %j with the reply %j", (property, reply, value) => {
  expect(elicitationAnswer(oneField(property), reply)).toEqual({ action: "accept", content: { it: value } });
});
