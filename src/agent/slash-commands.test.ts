import { expect, test } from "vitest";
import { helpText, parseSlash } from "./slash-commands.js";

const SKILLS = new Map([
  [
    "deploy",
    {
      name: "deploy",
      description: "Ship it",
      isForPeopleOnly: true,
      folder: "",
      body: "",
      isOfProject: false,
    },
  ],
]);

test("what is a command, what is a skill, and what is for the model", () => {
  const parsed = (text: string) => parseSlash(text, SKILLS);
  expect(parsed("/help")).toEqual({ type: "help" });
  expect(parsed(" /new \n")).toEqual({ type: "new" });
  expect(parsed("/model")).toEqual({ type: "model", name: null });
  expect(parsed("/model anthropic/x")).toEqual({ type: "model", name: "anthropic/x" });
  expect(parsed("/deploy")).toEqual({ type: "skill", name: "deploy", args: null });
  expect(parsed("/deploy to prod\nnow")).toEqual({ type: "skill", name: "deploy", args: "to prod\nnow" });
  expect(parsed("/nothing")).toEqual({ type: "unknown", name: "nothing" });
  for (const text of ["hello", "/etc/hosts is odd", "see /help", "/", "//help", ""])
    expect(parsed(text)).toBeNull();
  expect(helpText(SKILLS)).toContain("/deploy  Ship it");
});
