import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/core/index.js";
import { acpControls, controlAcp } from "../../src/harness/acp/controls.js";
import { decodeClaude, startClaude } from "../../src/harness/claude/claude-codec.js";
import { claudeControls, controlClaude } from "../../src/harness/claude/controls.js";
import { codexControls, codexMessageFlaw, controlCodex } from "../../src/harness/codex/controls.js";
import { AcpPeer } from "./acp/acp-peer.js";
import { ready, SETTINGS } from "./codex/codex-peer.js";

/** The first recorded message with this in it. */
function recorded(file: string, words: string): Readonly<Record<string, Json>> {
  const lines = readFileSync(new URL(file, import.meta.url), "utf8").split("\n");
  const line = lines.find((one) => one.includes(words)) ?? "{}";
  return (JSON.parse(line) as { readonly msg: Readonly<Record<string, Json>> }).msg;
}

function parsed(writes: readonly string[]): readonly Json[] {
  return writes.map((line) => JSON.parse(line) as Json);
}

describe("what an agent offers", () => {
  test("ACP: as the real claude-acp lists it, chosen by its options, noted when it says yes", () => {
    const opened = recorded("acp/recordings/claude-acp-tour.jsonl", '"configOptions"');
    const peer = new AcpPeer(null)
      .answers("initialize", { result: { protocolVersion: 1, agentCapabilities: {} } })
      .answers("session/new", { result: opened["result"] ?? null });
    const { settable, models, modes, efforts } = acpControls(peer.json);
    expect(settable).toEqual(["model", "mode", "effort"]);
    expect(models.map(({ id, current }) => [id, current])).toEqual([
      ["default", true],
      ["opus[1m]", false],
      ["sonnet", false],
    ]);
    expect(modes.map(({ id }) => id)).toEqual(["auto", "default", "acceptEdits"]);
    expect(efforts.map(({ id }) => id)).toEqual(["default", "low", "medium"]);
    expect(controlAcp(peer.json, { model: "gpt" }).failure).toBe(
      'This agent has no model "gpt". It offers: default, opus[1m], sonnet.',
    );
    const told = controlAcp(peer.json, { model: "Sonnet" });
    expect(parsed(told.writes)).toMatchObject([
      { method: "session/set_config_option", params: { configId: "model", value: "sonnet" } },
    ]);
    expect(told.model).toBe("sonnet");
    peer.json = told.state;
    peer.answers("session/set_config_option", { result: {} });
    expect(peer.said).toMatchObject([{ event: "metadata", payload: { note: "The model is now sonnet." } }]);
    expect(acpControls(peer.json).models.find(({ current }) => current)?.id).toBe("sonnet");
  });

  test("Claude: models and commands of initialize, chosen by control requests", () => {
    const start = { run: 1, settings: SETTINGS, resume: null, prompt: null, continues: false } as const;
    const model = { value: "opus", displayName: "Opus", supportedEffortLevels: ["low", "max"] };
    const commands = [{ name: "compact", description: "Shorter", argumentHint: "<what to keep>" }];
    const answer = { models: [model], commands, current_permission_mode: "default", hooks_applied: true };
    const said = (id: string, response: Json, subtype = "success") =>
      JSON.stringify({ type: "control_response", response: { subtype, request_id: id, response } });
    const { state } = decodeClaude(startClaude(start).state, said("initialize", answer));
    expect(claudeControls(state)).toMatchObject({
      models: [{ id: "opus", name: "Opus" }],
      modes: [{ id: "default", current: true }],
      efforts: [{ id: "low" }, { id: "max" }],
      commands: [{ name: "compact", description: "Shorter", hint: "<what to keep>" }],
    });
    const told = controlClaude(state, { mode: "plan", effort: "max" });
    expect(parsed(told.writes)).toMatchObject([
      { request: { subtype: "set_permission_mode", mode: "plan" } },
      { request: { subtype: "apply_flag_settings", settings: { effortLevel: "max" } } },
    ]);
    const after = decodeClaude(told.state, said("control-1:mode:plan", { mode: "plan" }));
    expect(after.outputs).toMatchObject([{ payload: { note: "The mode is now plan." } }]);
    expect(decodeClaude(told.state, said("control-1:mode:plan", null, "error")).outputs).toMatchObject([
      { payload: { problem: "The mode is not plan: Claude Code refused it." } },
    ]);
  });

  test("Codex: model/list; what is chosen goes with the next turn; its commands are calls", () => {
    const data = [
      { model: "a", displayName: "A", supportedReasoningEfforts: [{ reasoningEffort: "low" }] },
      { model: "b", displayName: "B", supportedReasoningEfforts: [{ reasoningEffort: "high" }] },
    ];
    const peer = ready().hears({ id: "models", result: { data } });
    expect(codexControls(peer.state).models.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(controlCodex(peer.state, { mode: "plan" }).failure).toContain("It offers: model, effort.");
    expect(controlCodex(peer.state, { model: "b", effort: "low" }).failure).toContain("It offers: high.");
    const told = controlCodex(peer.state, { model: "b", effort: "high" });
    expect(told).toMatchObject({
      writes: [],
      note: "From the next turn on: model b, effort high.",
      model: "b",
    });
    peer.state = told.state;
    const message = { type: "deliver_message", run: 1, messageId: "m" } as const;
    expect(peer.told(message, "go")).toMatchObject([
      { method: "turn/start", params: { model: "b", effort: "high" } },
    ]);
    expect(ready().told(message, "/compact")).toMatchObject([{ method: "thread/compact/start" }]);
    const choosing = ready();
    expect(choosing.told(message, "/model b")).toMatchObject([{ id: 4, method: "model/list" }]);
    expect(choosing.hears({ id: 4, result: { data } }).facts.map(({ type }) => type)).toEqual([
      "api_req_started",
      "ask:completion_result",
    ]);
    expect(choosing.told(message, "go")).toMatchObject([{ params: { model: "b" } }]);
    expect(codexMessageFlaw("/etc/hosts is odd")).toBeNull();
    expect(codexMessageFlaw("/review it")).toContain("It has: /compact, /model.");
  });
});
