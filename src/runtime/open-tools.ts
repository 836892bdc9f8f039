import { TOOLS_MAX } from "../core/session/state.js";
import type { OpenTool } from "./session-record.js";

/**
 * The tool calls of a session that have not ended, by their ids. Changed in place: an agent may open a thousand, and each
 * event must cost the same.
 *
 * As many as the machine remembers; of more, the oldest are forgotten here as they are there.
 */
export class OpenTools {
  private readonly tools: Map<string, OpenTool>;

  /** `kept` is what a record has of them, as long as nothing has changed. */
  constructor(private kept: Readonly<Record<string, OpenTool>> | null = {}) {
    this.tools = new Map(Object.entries(kept ?? {}));
  }

  get(callId: string): OpenTool | undefined {
    return this.tools.get(callId);
  }

  open(callId: string, tool: OpenTool): void {
    this.tools.set(callId, tool);
    this.kept = null;
    if (this.tools.size <= TOOLS_MAX) return;
    const [oldest] = this.tools.keys();
    if (oldest !== undefined) this.tools.delete(oldest);
  }

  close(callId: string): void {
    if (this.tools.delete(callId)) this.kept = null;
  }

  /** For a record: copied once, however much has changed since the last one. */
  snapshot(): Readonly<Record<string, OpenTool>> {
    return (this.kept ??= Object.fromEntries(this.tools));
  }
}
