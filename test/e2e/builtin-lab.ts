/** The built-in agent as a real process under a real daemon, with a scripted model in the place of each provider. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { AskSummary, SessionDetail, SessionSummary } from "../../src/protocol/session.js";
import { EventTap } from "../agents/event-tap.js";
import { ModelServer } from "../agents/model-server/model-server.js";
import { TestDaemon } from "./test-daemon.js";

/** Each way in which the agent speaks to a model: which model is chosen, and what leads it to the scripted one. */
export const PROVIDERS = {
  anthropic: {
    model: "anthropic/claude-sonnet-4-5",
    env: (url: string) => ({ ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: `${url}/v1` }),
  },
  openai: {
    model: "openai/gpt-5",
    env: (url: string) => ({ OPENAI_API_KEY: "key", OPENAI_BASE_URL: `${url}/v1` }),
  },
  google: {
    model: "google/gemini-2.5-pro",
    env: (url: string) => ({
      GOOGLE_GENERATIVE_AI_API_KEY: "key",
      GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
    }),
  },
  compatible: {
    model: "compatible/local-model",
    env: (url: string) => ({ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` }),
  },
} as const;
export type ProviderName = keyof typeof PROVIDERS;

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as readonly ProviderName[];

export interface OpenOptions {
  readonly provider?: ProviderName;
  readonly env?: Readonly<Record<string, string>>;
  readonly autoApprove?: boolean;
  /** Where it works, if not where others do. */
  readonly cwd?: string;
}

export class BuiltinLab {
  readonly tap = new EventTap();

  /** `config`: what stands in the person's `config.toml`. */
  static async start(config = ""): Promise<BuiltinLab> {
    const folder = await mkdtemp(join(tmpdir(), "signalbox-builtin-"));
    const [home, work] = [join(folder, "home"), join(folder, "work")];
    await mkdir(join(home, ".config", "signalbox"), { recursive: true });
    await mkdir(work);
    await writeFile(join(home, ".config", "signalbox", "config.toml"), config);
    const model = await ModelServer.start();
    const { PATH = "" } = process.env;
    const env = { PATH, HOME: home };
    const daemon = await TestDaemon.start({ dataDir: join(folder, "data"), env, inherit: false });
    const lab = new BuiltinLab(folder, home, work, model, daemon);
    await lab.tap.attach(daemon.client);
    return lab;
  }

  private constructor(
    readonly folder: string,
    readonly home: string,
    /** Where the agent works. */
    readonly work: string,
    readonly model: ModelServer,
    readonly daemon: TestDaemon,
  ) {}

  async end(): Promise<void> {
    await this.tap.detach();
    await this.daemon.end();
    await this.model.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async open(prompt: string, options: OpenOptions = {}): Promise<BuiltinSession> {
    const { provider = "anthropic", env = {}, autoApprove = false, cwd = this.work } = options;
    const { model, env: keys } = PROVIDERS[provider];
    const { id } = await this.daemon.client.createSession({
      harness: "builtin",
      cwd,
      prompt,
      model,
      autoApprove,
      env: { ...keys(this.model.url), ...env },
    });
    return new BuiltinSession(this, id);
  }
}

export class BuiltinSession {
  constructor(
    private readonly lab: BuiltinLab,
    readonly id: string,
  ) {}

  get now(): Promise<SessionDetail> {
    return this.lab.daemon.client.getSession(this.id);
  }

  async reaches(status: SessionSummary["status"]): Promise<SessionDetail> {
    await expect.poll(async () => (await this.now).status).toBe(status);
    return this.now;
  }

  /** The asks that a person must answer, once there are so many. */
  async asks(count = 1): Promise<readonly AskSummary[]> {
    const open = async () => (await this.now).asks.filter(({ needsHuman }) => needsHuman);
    await expect.poll(async () => (await open()).length).toBe(count);
    return open();
  }

  async answer(decision: "approve" | "reject", message?: string): Promise<AskSummary> {
    const [ask] = await this.asks();
    if (!ask) throw new Error("nothing is asked");
    await this.answerTo(ask, decision, message);
    return ask;
  }

  async answerTo({ askId }: AskSummary, decision: "approve" | "reject", message?: string): Promise<void> {
    const text = message === undefined ? {} : { message };
    await this.lab.daemon.client.answerAsk(this.id, askId, { decision, ...text });
  }

  async say(text: string): Promise<void> {
    await this.lab.daemon.client.sendMessage(this.id, { text });
  }

  /** What the agent's process is. */
  async pid(): Promise<number> {
    const { pid } = (await this.lab.daemon.client.explain(this.id)).process;
    if (pid === null) throw new Error("it has no process");
    return pid;
  }

  /** Everything that was told of it, in order, without the envelopes. */
  get told(): readonly (Readonly<Record<string, unknown>> & { readonly type: string })[] {
    return this.lab.tap
      .of(this.id)
      .map(({ channel, event }) =>
        channel === "stream" ? { ...event.payload, type: event.type } : { ...event.payload },
      );
  }

  /** All pieces of this kind, as one text. */
  words(type: "text_delta" | "thinking_delta"): string {
    const texts = this.told.filter((told) => told.type === type).map((told) => String(told["text"]));
    return texts.join("");
  }
}
