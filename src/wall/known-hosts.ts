/** Hosts that are known by what they are for. */
import type { WallPreset } from "../protocol/wall.js";

/** Which provider a key in the environment is for: agents that know many reach those that the person has a key of. */
export const PROVIDER_HOSTS: readonly { readonly variable: string; readonly host: string }[] = [
  { variable: "ANTHROPIC_API_KEY", host: "api.anthropic.com" },
  { variable: "OPENAI_API_KEY", host: "api.openai.com" },
  { variable: "GEMINI_API_KEY", host: "generativelanguage.googleapis.com" },
  { variable: "GOOGLE_API_KEY", host: "generativelanguage.googleapis.com" },
  { variable: "GOOGLE_GENERATIVE_AI_API_KEY", host: "generativelanguage.googleapis.com" },
  { variable: "MISTRAL_API_KEY", host: "api.mistral.ai" },
  { variable: "GROQ_API_KEY", host: "api.groq.com" },
  { variable: "OPENROUTER_API_KEY", host: "openrouter.ai" },
  { variable: "DEEPSEEK_API_KEY", host: "api.deepseek.com" },
  { variable: "XAI_API_KEY", host: "api.x.ai" },
  { variable: "TOGETHER_API_KEY", host: "api.together.xyz" },
  { variable: "FIREWORKS_API_KEY", host: "api.fireworks.ai" },
  { variable: "CEREBRAS_API_KEY", host: "api.cerebras.ai" },
  { variable: "MOONSHOT_API_KEY", host: "api.moonshot.ai" },
  { variable: "DASHSCOPE_API_KEY", host: "dashscope.aliyuncs.com" },
  { variable: "ZHIPU_API_KEY", host: "open.bigmodel.cn" },
];

/** Where programs tell how they are used. Nobody is asked about them; who is listed by name is reached all the same. */
export const TELEMETRY_HOSTS: readonly string[] = [
  "*.posthog.com",
  "*.sentry.io",
  "*.statsig.com",
  "statsig.anthropic.com",
  "*.statsigapi.net",
  "*.datadoghq.com",
  "play.googleapis.com",
  "*.rum.aliyuncs.com",
];

/** `[wall] presets`: what a package manager needs, and where code is fetched from. */
export const PRESET_HOSTS: Readonly<Record<WallPreset, readonly string[]>> = {
  npm: ["*.npmjs.org", "*.yarnpkg.com", "nodejs.org"],
  pypi: ["pypi.org", "files.pythonhosted.org"],
  cargo: ["crates.io", "*.crates.io", "static.rust-lang.org"],
  go: ["proxy.golang.org", "sum.golang.org", "storage.googleapis.com"],
  rubygems: ["rubygems.org", "*.rubygems.org"],
  maven: ["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org"],
  github: ["github.com", "api.github.com", "codeload.github.com", "*.githubusercontent.com"],
};
