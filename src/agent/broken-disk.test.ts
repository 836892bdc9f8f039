import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FromAgent } from "../protocol/agent-wire.js";
import { Conversation } from "./conversation/conversation.js";
import type { Model } from "./models/model.js";
import { TurnDriver } from "./turn-driver.js";

test("what cannot be written down is not shown, and is told as broken: nobody waits for the rest", async () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-broken-"));
  const conversation = Conversation.open(folder, "s", folder, 0);
  const model: Model = {
    name: "scripted",
    async *stream() {
      await Promise.resolve();
      yield { type: "text", text: "written" };
      // As on a disk that is full from here on.
      conversation.close();
      yield { type: "text", text: "lost" };
    },
  };
  const lines: FromAgent[] = [];
  const broken: unknown[] = [];
  const driver = new TurnDriver({
    cwd: folder,
    system: () => "",
    model: () => model,
    tools: new Map(),
    toolDescriptions: [],
    conversation,
    renew: () => conversation,
    loadSkill: () => Promise.reject(new Error("none")),
    afterTool: ({ outcome }) => Promise.resolve({ outcome }),
    write: (line) => void lines.push(line),
    onBroken: (error) => void broken.push(error),
  });
  driver.hear({ type: "prompt", messageId: "m", text: "go" });
  await expect.poll(() => broken).toEqual([expect.objectContaining({ code: "EBADF" })]);
  expect(lines).toMatchObject([{ type: "request" }, { type: "text", text: "written" }]);
  rmSync(folder, { recursive: true, maxRetries: 5 });
});
