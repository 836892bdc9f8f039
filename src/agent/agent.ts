import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AgentConfig } from "../protocol/agent-config.js";
import type { AgentCommand, FromAgent, ToAgent } from "../protocol/agent-wire.js";
import { Conversation } from "./conversation/conversation.js";
import { runPostToolHooks } from "./hooks/post-tool-hooks.js";
import { connectMcpServers, type McpTools } from "./mcp/mcp-servers.js";
import { chooseModel, type Environment } from "./models/choose-model.js";
import type { Model } from "./models/model.js";
import { keepChoice } from "./models/kept-choice.js";
import { listModels, modelListText } from "./models/list-models.js";
import { findSkills, type Skill } from "./skills/find-skills.js";
import { loadSkill } from "./skills/load-skill.js";
import { helpText, parseSlash, SLASH_COMMANDS, type Slash } from "./slash-commands.js";
import { projectContext, systemPrompt } from "./system-prompt.js";
import { allTools, describeTools } from "./tools/all-tools.js";
import { TurnDriver } from "./turn-driver.js";

export interface AgentOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** Where conversations, backups and the choice of a model are kept. */
  readonly folder: string;
  /** The person's own skills. */
  readonly userSkills: string;
  readonly config: AgentConfig;
  /** The project's skills may run commands. */
  readonly isTrusted: boolean;
  /** It answers at a shell's prompt (002). */
  readonly isInline: boolean;
  readonly model: Model;
  readonly resume: string | null;
  readonly write: (line: FromAgent) => void;
  readonly onBroken: (error: unknown) => void;
}

/** The agent as a whole: a conversation with a model that has tools, and what a person may say beside it. */
export class Agent {
  private readonly driver: TurnDriver;
  private model: Model;
  /** Of the project's skills as they were when the folder was found to be trusted: later ones are not. */
  private readonly trustedBodies: ReadonlySet<string>;

  static async start(options: AgentOptions): Promise<Agent> {
    const mcp = await connectMcpServers(options.config.mcp_servers, options.cwd);
    const agent = new Agent(options, mcp, await readProject(options));
    agent.announce();
    for (const text of [...mcp.problems, ...agent.project.problems]) options.write({ type: "note", text });
    return agent;
  }

  private constructor(
    private readonly options: AgentOptions,
    private readonly mcp: McpTools,
    private project: Project,
  ) {
    const { cwd, env, folder, config, write, onBroken, resume } = options;
    this.model = options.model;
    const skills = options.isTrusted ? [...project.skills.values()] : [];
    this.trustedBodies = new Set(skills.flatMap(({ isOfProject, body }) => (isOfProject ? [body] : [])));
    const sessionId = resume ?? randomUUID();
    const tools = allTools({
      backups: join(folder, "backups", sessionId),
      conversations: folder,
      env,
      loadSkill: (name, signal) => this.skillForModel(name, signal),
      more: mcp.tools,
    });
    const open = (id: string): Conversation => Conversation.open(folder, id, cwd, Date.now());
    this.driver = new TurnDriver({
      cwd,
      system: () => this.project.system,
      model: () => this.model,
      tools,
      toolDescriptions: describeTools(tools),
      conversation: open(sessionId),
      renew: () => open(randomUUID()),
      loadSkill: (name, args, signal) => this.skillText(name, args ?? "", signal),
      afterTool: (call) =>
        runPostToolHooks(config.post_tool_hooks, call, cwd, {
          started: () => write({ type: "hooks_started" }),
          finished: (ok) => write({ type: "hooks_finished", ok }),
        }),
      write,
      onBroken,
    });
  }

  hear(line: ToAgent): void {
    if (line.type === "command") {
      this.command(line.command).catch(this.options.onBroken);
      return;
    }
    const slash = line.type === "prompt" ? parseSlash(line.text, this.project.skills) : null;
    if (slash) this.obey(slash).catch(this.options.onBroken);
    else this.driver.hear(line);
  }

  get isBusy(): boolean {
    return this.driver.isBusy;
  }

  /** Nothing goes on, and it waits for nobody. */
  get isResting(): boolean {
    return this.driver.isResting;
  }

  async close(): Promise<void> {
    this.driver.close();
    await this.mcp.close();
  }

  /** Beside the conversation: no turn begins or ends with it, unless a skill is called. */
  private async command(command: AgentCommand): Promise<void> {
    if (command.command === "slash") {
      const text = `/${command.name.replace(/^\//, "")} ${command.arguments ?? ""}`;
      const slash = parseSlash(text, this.project.skills) ?? { type: "unknown", name: command.name };
      if (slash.type === "new") this.beginAnew();
      else await this.answer(slash);
    } else if (command.command === "new") this.beginAnew();
    else this.driver.command(command);
  }

  /** In the place of a turn: whoever sent it waits for its end. */
  private async obey(slash: Slash): Promise<void> {
    if (await this.answer(slash)) this.options.write({ type: "done" });
  }

  /** False when a turn answers it. */
  private async answer(slash: Slash): Promise<boolean> {
    if (slash.type === "skill") {
      const { name, args } = slash;
      this.driver.command({ command: "skill", name, ...(args === null ? {} : { arguments: args }) });
      return false;
    }
    this.driver.say(`/${slash.type}`, await this.answerTo(slash));
    return true;
  }

  private async answerTo(slash: Exclude<Slash, { readonly type: "skill" }>): Promise<string> {
    switch (slash.type) {
      case "help":
        return helpText(this.project.skills);
      case "new":
        return this.beginAnew() ? "A new conversation." : "After an error, try again or say something first.";
      case "reload":
        this.project = await readProject(this.options);
        this.tellControls();
        return [`Read again: ${this.project.skills.size} skills.`, ...this.project.problems].join("\n");
      case "model":
        return slash.name === null
          ? modelListText(this.model.name, await listModels(this.options.env))
          : this.chooseModel(slash.name);
      case "unknown":
        return `There is no command /${slash.name}. /help says what there is.`;
    }
  }

  /** False when the machine does not allow it now, which is told. */
  private beginAnew(): boolean {
    const { sessionId } = this.driver;
    this.driver.command({ command: "new" });
    if (this.driver.sessionId === sessionId) return false;
    this.announce();
    return true;
  }

  private async chooseModel(name: string): Promise<string> {
    try {
      this.model = await chooseModel(name, this.options.env);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    keepChoice(this.options.folder, this.driver.sessionId, name);
    this.tellControls();
    return `The model is now ${this.model.name}.`;
  }

  /** Some are for people only. */
  private async skillForModel(name: string, signal: AbortSignal): Promise<string> {
    if (this.project.skills.get(name)?.isForPeopleOnly === true)
      throw new Error(`The skill ${JSON.stringify(name)} can only be called by the user.`);
    return this.skillText(name, "", signal);
  }

  private async skillText(name: string, args: string, signal: AbortSignal): Promise<string> {
    const skill = this.project.skills.get(name);
    if (!skill) throw new Error(`There is no skill ${JSON.stringify(name)}.`);
    const mayRun = !skill.isOfProject || this.trustedBodies.has(skill.body);
    return loadSkill(skill, args, { cwd: this.options.cwd, mayRun, signal });
  }

  private announce(): void {
    this.options.write({ type: "ready", sessionId: this.driver.sessionId, model: this.model.name });
    this.tellControls();
  }

  private tellControls(): void {
    const skills = [...this.project.skills.values()].map(({ name, description }) => ({ name, description }));
    this.options.write({
      type: "controls",
      model: this.model.name,
      commands: [...SLASH_COMMANDS, ...skills.map((skill) => ({ ...skill, hint: null }))],
      skills,
    });
  }
}

/** What the project and the person say, as it was when it was last read. */
interface Project {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly system: string;
  /** What of it cannot be used. */
  readonly problems: readonly string[];
}

async function readProject({ cwd, userSkills, isInline }: AgentOptions): Promise<Project> {
  const found = await findSkills({ project: join(cwd, ".signalbox", "skills"), user: userSkills });
  const { context, problems } = await projectContext(cwd);
  return {
    skills: found.skills,
    system: systemPrompt(cwd, found.skills.values(), isInline, context),
    problems: [...found.problems, ...problems],
  };
}
