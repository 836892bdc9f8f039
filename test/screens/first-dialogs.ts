/** What agents show before they can be asked anything: to whom nobody has logged in, or in a folder that nobody trusts. */
import type { Activity, ScreenAgent } from "../../src/core/index.js";
import { AgentHand, BEFORE_ANSWER_MS } from "./agent-hand.js";
import type { AgentHome } from "./agent-homes.js";
import { pause } from "./live-terminal.js";

export interface FirstDialog {
  readonly name: string;
  readonly activity: Activity;
  readonly seen: RegExp;
  /** Where there is no such home, an agent does not show it. */
  readonly home: (home: AgentHome, project: string) => AgentHome;
  /** It asks for trust first. */
  readonly isTrustedFirst?: true;
  /** What a person types to get there. */
  readonly types?: string;
}

const ONBOARDED = `${JSON.stringify({ hasCompletedOnboarding: true })}\n`;

/** Nobody's keys and nobody's settings. */
function bare(home: AgentHome): AgentHome {
  const names = Object.keys(home.env).filter((name) => !/KEY|BASE_URL|OPENAI|COPILOT|KIMI/.test(name));
  return { ...home, env: Object.fromEntries(names.map((name) => [name, home.env[name] ?? ""])), files: {} };
}

function withoutPolicy(home: AgentHome, project: string): AgentHome {
  const path = ".codex/config.toml";
  const text = (home.files[path] ?? "").replace(/^(?:approval_policy|sandbox_mode).*\n/gm, "");
  const files = { [path]: `${text}[projects."${project}"]\ntrust_level = "untrusted"\n` };
  return { ...home, files };
}

const CONNECT: FirstDialog = {
  name: "97-login",
  activity: "question",
  seen: /Connect a provider|Select provider/i,
  home: (home) => home,
  types: "/connect\r",
};

export const FIRST_DIALOGS: Readonly<Record<ScreenAgent, readonly FirstDialog[]>> = {
  claude: [
    {
      name: "96-auto-mode",
      activity: "question",
      seen: /Make auto mode your default|for shortcuts|manual mode on/,
      home: (home) => ({
        ...home,
        files: {
          ...home.files,
          ".claude/settings.json": `${JSON.stringify({ permissions: { defaultMode: "default" } })}\n`,
        },
      }),
      isTrustedFirst: true,
    },
    {
      name: "97-key",
      activity: "approval",
      seen: /custom API key/,
      home: (home) => ({ ...home, files: { ".claude.json": ONBOARDED } }),
      isTrustedFirst: true,
    },
    {
      name: "98-login",
      activity: "question",
      seen: /Select login method/,
      home: (home) => ({ ...bare(home), files: { ".claude.json": ONBOARDED } }),
      isTrustedFirst: true,
      types: "/login\r",
    },
  ],
  codex: [
    { name: "97-login", activity: "question", seen: /Sign in with ChatGPT/, home: bare },
    { name: "98-untrusted", activity: "question", seen: /Open restricted/, home: withoutPolicy },
  ],
  gemini: [
    {
      name: "97-login",
      activity: "question",
      seen: /How would you like to authenticate/,
      home: bare,
      isTrustedFirst: true,
    },
  ],
  opencode: [CONNECT],
  kilo: [CONNECT],
  copilot: [],
  pi: [],
  kimi: [],
  grok: [],
  nanocoder: [],
  cn: [
    {
      name: "97-key",
      activity: "question",
      seen: /Enter your .* key:/,
      home: (home) => ({ ...bare(home), command: "cn" }),
    },
  ],
  qwen: [
    { name: "97-login", activity: "question", seen: /Select Authentication Method|› Alibaba/, home: bare },
  ],
};

export class FirstPlay extends AgentHand {
  async play({ name, activity, seen, isTrustedFirst, types }: FirstDialog): Promise<void> {
    const { terminal, dialect } = this;
    await terminal.until(/\$ $|\$$/m);
    await terminal.type(this.scene.command);
    await this.enter();
    if (isTrustedFirst && dialect.trust) {
      await terminal.until(dialect.trust, 60_000);
      await pause(BEFORE_ANSWER_MS);
      await this.answer("approve");
    }
    if (types === undefined && !isTrustedFirst) await this.startsUntil(seen, name);
    else if (types === undefined) await terminal.until(seen);
    else {
      await terminal.until(isTrustedFirst ? /\? for shortcuts|manual mode on/ : dialect.ready, 60_000);
      await pause(BEFORE_ANSWER_MS);
      await terminal.type(types.trimEnd());
      await pause(BEFORE_ANSWER_MS);
      terminal.press("\r");
      await terminal.until(seen);
    }
    await pause(BEFORE_ANSWER_MS);
    this.shot(name, activity);
  }
}
