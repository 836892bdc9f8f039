import type { Json, TurnEvent } from "../core/index.js";
import type { AfterTool, DoneCall } from "./hooks/post-tool-hooks.js";
import type { Tool, ToolContext, ToolDescriptionForPerson } from "./tools/tool.js";
import type { FileMemory } from "./tools/file-memory.js";

type Tell = (event: TurnEvent) => void;

/** The tools that run, each until it is done or aborted; every one of them reports its end exactly once. */
export class ToolCalls {
  private readonly running = new Map<string, AbortController>();
  /** They have done what they were to do; what the person wants done after them goes on. */
  private readonly inHooks = new Set<string>();

  constructor(
    private readonly tools: ReadonlyMap<string, Tool>,
    private readonly cwd: string,
    private readonly files: FileMemory,
    private readonly tell: Tell,
    private readonly afterwards: (call: DoneCall) => Promise<AfterTool>,
    private readonly stopTurn: (reason: string, done: TurnEvent) => void,
    private readonly ask: ToolContext["ask"],
  ) {}

  /** Whether a person, or a rule, has to allow it. */
  needsPermission(name: string): boolean {
    return this.tools.get(name)?.ask !== "none";
  }

  /** Why the input does not fit, or undefined when it does. */
  flawOf(name: string, input: Json): string | undefined {
    // One that fits is no call of a tool.
    if (name === "suggest_command") return "it names no command";
    const tool = this.tools.get(name);
    const parsed = tool?.input.safeParse(input);
    return parsed && !parsed.success ? parsed.error.message : undefined;
  }

  async describe(name: string, input: Json): Promise<ToolDescriptionForPerson & Pick<Tool, "ask">> {
    const tool = this.toolNamed(name);
    try {
      const described = await tool.describe(tool.input.parse(input), { cwd: this.cwd, files: this.files });
      return { ...described, ask: tool.ask };
    } catch (error) {
      // A person must still be asked, and nobody waits for ever.
      const why = error instanceof Error ? error.message : String(error);
      return { title: name, detail: `[It cannot be shown beforehand: ${why}]`, ask: tool.ask };
    }
  }

  execute(toolId: string, name: string, input: Json): void {
    const controller = new AbortController();
    this.running.set(toolId, controller);
    void this.run(toolId, name, input, controller.signal);
  }

  abort(toolId: string): void {
    const controller = this.running.get(toolId);
    if (controller) controller.abort();
    // It was not running any more: its end is told all the same.
    else this.tell({ type: "tool_execution_done", toolId, outcome: { isError: true, content: "Aborted." } });
  }

  /** Its time is no longer its own: hooks have theirs. */
  isInHooks(toolId: string): boolean {
    return this.inHooks.has(toolId);
  }

  abortAll(): void {
    for (const controller of this.running.values()) controller.abort();
  }

  private async run(toolId: string, name: string, input: Json, signal: AbortSignal): Promise<void> {
    const { outcome, stop } = await this.outcomeOf(toolId, name, input, signal);
    this.running.delete(toolId);
    this.inHooks.delete(toolId);
    const { diff, ...told } = outcome;
    const preview = diff === undefined ? {} : { preview: { diff } };
    const done: TurnEvent = { type: "tool_execution_done", toolId, outcome: told, ...preview };
    // An interrupt stopped it before.
    if (stop === undefined || signal.aborted) this.tell(done);
    else this.stopTurn(stop, done);
  }

  private async outcomeOf(
    toolId: string,
    name: string,
    input: Json,
    signal: AbortSignal,
  ): Promise<AfterTool> {
    const preview: ToolContext["preview"] = (lines) =>
      this.tell({ type: "tool_preview_update", toolId, lines: [...lines] });
    try {
      const tool = this.toolNamed(name);
      const context = { cwd: this.cwd, files: this.files, signal, preview, ask: this.ask };
      const outcome = await tool.execute(tool.input.parse(input), context);
      if (signal.aborted) return { outcome };
      this.inHooks.add(toolId);
      return await this.afterwards({ name, input, outcome, signal });
    } catch (error) {
      const content = error instanceof Error ? error.message : String(error);
      return { outcome: { isError: true, content } };
    }
  }

  private toolNamed(name: string): Tool {
    const tool = this.tools.get(name);
    if (!tool) throw new Error(`there is no tool ${JSON.stringify(name)}`);
    return tool;
  }
}
