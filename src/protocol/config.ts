/** `config.toml`: a person's own, and a project's. What it may hold, for whoever reads it. */
import { z } from "zod";
import { agentConfigSchema } from "./agent-config.js";
import { notifyConfigSchema } from "./notify-config.js";
import { WALL_MODES } from "./wall-state.js";
import { WALL_NETWORKS, WALL_PRESETS } from "./wall.js";

const text = z
  .string()
  .min(1)
  .max(10_000)
  .regex(/^[^\0]*$/, "expected no zero byte");

/** `off`, or a number of seconds, minutes, hours or days: `30m`. */
const idleAfter = z
  .string()
  .regex(/^(off|[1-9][0-9]{0,4}[smhd])$/, 'expected a time such as "30m", or "off"');

/** `[idle]` */
const idleConfigSchema = z.strictObject({ after: idleAfter.optional() });
/** `[checkpoints]` */
const checkpointsConfigSchema = z.strictObject({ mode: z.enum(["auto", "off"]).optional() });

const wallPath = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^(?:\/|~(?:\/|$))[^\0]*$/, "expected an absolute path, or one that begins with ~/");

const wallHost = z
  .string()
  .max(300)
  .regex(
    /^(?:\*\.)?[A-Za-z0-9_][A-Za-z0-9._-]*(?::(?:\d{1,5}|\*))?$/,
    "expected a host such as example.org, *.example.org or example.org:8443",
  );

const wallService = z
  .string()
  .max(300)
  .regex(
    /^(?:\[[0-9A-Fa-f:]+\]|[A-Za-z0-9][A-Za-z0-9._-]*):\d{1,5}$/,
    "expected a host and a port, such as 127.0.0.1:5432",
  );

export const HARNESS_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** `[wall]` */
export const wallConfigSchema = z.strictObject({
  /** `auto`: a wall where one can be built. `require`: no run without. `off`: none. */
  mode: z.enum(WALL_MODES).optional(),
  /** Below home: shown, and not writable. */
  reveal: z.array(wallPath).max(100).optional(),
  writable: z.array(wallPath).max(100).optional(),
  /** Variables that agents get beside the usual ones; a star at the end stands for any rest. */
  environment: z
    .array(z.string().regex(/^[A-Za-z_]\w*\*?$/, "expected the name of a variable"))
    .max(100)
    .optional(),
  /** `listed`: only hosts that are listed here, by presets, by rules or for the agent. */
  network: z.enum(WALL_NETWORKS).optional(),
  hosts: z.array(wallHost).max(200).optional(),
  /** On this machine, or in a private network: forwarded into the wall. */
  services: z.array(wallService).max(16).optional(),
  presets: z.array(z.enum(WALL_PRESETS)).max(WALL_PRESETS.length).optional(),
  /** `auto`: ports on which programs listen inside can be reached from this machine. */
  publish: z.enum(["auto", "off"]).optional(),
  /** Agents that ignore proxies, beside those that are known to. */
  ignores_proxy: z.array(z.string().regex(HARNESS_NAME)).max(50).optional(),
});
export type WallConfig = z.infer<typeof wallConfigSchema>;

/** `[harness.NAME]` */
export const harnessConfigSchema = z.strictObject({
  /** A program on `PATH`, or an absolute path. */
  command: text.optional(),
  /** Before those of a session. */
  args: z
    .array(
      z
        .string()
        .max(10_000)
        .regex(/^[^\0]*$/, "expected no zero byte"),
    )
    .max(1_000)
    .optional(),
  /** Below a session's own. */
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().regex(/^[^\0]*$/)).optional(),
  /** For sessions that name none. */
  model: text.optional(),
  /** In the place of `after` in `[idle]`. */
  idle_after: idleAfter.optional(),
});
export type HarnessConfig = z.infer<typeof harnessConfigSchema>;

/** Harnesses whose program is a part of Signalbox. */
const OWN_PROGRAMS = ["builtin", "demo"];

export const configSchema = z
  .strictObject({
    harness: z.record(z.string().regex(HARNESS_NAME), harnessConfigSchema).default({}),
    agent: agentConfigSchema.optional(),
    /** Counts in a person's own file only. */
    idle: idleConfigSchema.optional(),
    /** Counts in a person's own file only. */
    checkpoints: checkpointsConfigSchema.optional(),
    /** In a project's file only what makes it narrower counts, whether or not its folder is trusted. */
    wall: wallConfigSchema.optional(),
    /** Counts in a person's own file only. */
    notify: notifyConfigSchema.optional(),
  })
  .superRefine(({ harness }, context) => {
    for (const name of OWN_PROGRAMS) {
      if (harness[name]?.command === undefined) continue;
      const message = "it is Signalbox's own program; expected args, env or model";
      context.addIssue({ code: "custom", path: ["harness", name, "command"], message });
    }
  });
export type Config = z.infer<typeof configSchema>;
