import type { TurnEffect, TurnEvent } from "../../core/index.js";

type Load = (name: string, args: string | undefined, signal: AbortSignal) => Promise<string>;

/** Skills that a person called and that are not there yet: their own commands may take a while. */
export class SkillLoads {
  private readonly open = new Set<AbortController>();

  constructor(
    private readonly load: Load,
    private readonly tell: (event: TurnEvent) => void,
  ) {}

  /** False when it cannot be loaded, which is told. */
  async start({
    name,
    arguments: args,
  }: Extract<TurnEffect, { readonly type: "load_skill" }>): Promise<boolean> {
    const given = args === undefined ? {} : { arguments: args };
    const controller = new AbortController();
    this.open.add(controller);
    try {
      const content = await this.load(name, args, controller.signal);
      this.tell({ type: "skill_loaded", name, ...given, content });
      return true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.tell({ type: "skill_load_failed", name, message });
      return false;
    } finally {
      this.open.delete(controller);
    }
  }

  abort(): void {
    for (const controller of this.open) controller.abort(new Error("It was interrupted."));
  }
}
