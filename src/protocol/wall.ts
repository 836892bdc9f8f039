/** What stands around a run: the plan that was compiled for it, as it is journaled, shown and sent. */
import { z } from "zod";

/** From the narrowest. */
export const WALL_NETWORKS = ["closed", "listed", "open"] as const;
/** Of a run behind a wall, where nobody has chosen. */
export const DEFAULT_WALL_NETWORK = "listed";
/** Hosts that are listed by one word: what a package manager needs. */
export const WALL_PRESETS = ["npm", "pypi", "cargo", "go", "rubygems", "maven", "github"] as const;
export type WallPreset = (typeof WALL_PRESETS)[number];
export const WALL_CATEGORIES = ["read", "write", "processes", "sockets", "network", "commands"] as const;
/** `walled`: the kernel holds it. The others are those of a session's enforcement. */
export const WALL_HOLDS = ["walled", "enforced", "when-asked", "none"] as const;

const path = z.string().startsWith("/");
const entryType = z.enum(["file", "folder"]);

/** `from`: where it is on this machine, when it has another name inside. */
const wallEntrySchema = z.object({
  path,
  from: path.exactOptional(),
  type: entryType,
  why: z.string(),
});
export type WallEntry = z.infer<typeof wallEntrySchema>;

export const wallPlanSchema = z.object({
  cwd: path,
  home: path,
  /** Empty folders of the run's own, which it may fill and which are gone with it. */
  scratch: z.array(z.object({ path, sizeBytes: z.number().int().positive(), why: z.string() })),
  writable: z.array(wallEntrySchema),
  readOnly: z.array(wallEntrySchema),
  /** An empty file or an empty folder in its place. `rule`: as it is written. */
  hidden: z.array(wallEntrySchema.extend({ rule: z.string().exactOptional() })),
  /** Files that the run gets a copy of, and that it may change without anybody noticing. */
  copied: z.array(z.object({ path, from: path, why: z.string() })),
  sockets: z.array(z.object({ path, from: path, why: z.string() })),
  /** What must be on this machine before the run starts, so that there is something to mount upon. */
  made: z.array(z.object({ path, type: entryType, text: z.string().exactOptional(), why: z.string() })),
  /** Names only: values may be secrets, and plans are kept. `set` holds what is no secret. */
  environment: z.object({ keep: z.array(z.string()), set: z.record(z.string(), z.string()) }),
  network: z.object({
    mode: z.enum(WALL_NETWORKS),
    hosts: z.array(z.string()),
    services: z.array(z.string()),
    /** Where `listed`: who is refused without a question. */
    denied: z.array(z.string()).exactOptional(),
    /** Where `listed`: the folder of the run's sockets, there and inside, and the port of the proxy inside. */
    proxy: z.object({ from: path, path, port: z.number().int() }).exactOptional(),
    /** Where `listed`: what programs inside serve can be reached from this machine. */
    publish: z.literal(true).exactOptional(),
  }),
  /** The agent has a sandbox of its own, which needs user namespaces. */
  nestedNamespaces: z.boolean(),
  /** What no wall can hold: it stays a question, or is said. */
  gaps: z.array(z.object({ rule: z.string(), why: z.string() })),
});
export type WallPlan = z.infer<typeof wallPlanSchema>;
export type WallNetwork = WallPlan["network"]["mode"];

export const wallLabelSchema = z.object({
  category: z.enum(WALL_CATEGORIES),
  holds: z.enum(WALL_HOLDS),
  sentence: z.string(),
});
export type WallLabel = z.infer<typeof wallLabelSchema>;

/** What the probe found: a real run that tried to get out. */
export const wallProbeSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), backend: z.enum(["bubblewrap", "seatbelt"]), version: z.string() }),
  z.object({ ok: z.literal(false), reason: z.string(), mend: z.string().nullable() }),
]);
export type WallProbe = z.infer<typeof wallProbeSchema>;
