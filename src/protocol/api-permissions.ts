/** What the API says about permission rules. */
import { z } from "zod";

const path = z.string().min(1).max(4_096);

/** `none`: no rule says anything, so that a person is asked; only this is what auto mode answers. */
export const verdictSchema = z.enum(["allow", "deny", "ask", "none"]);

export const ruleSchema = z.object({
  effect: z.enum(["allow", "ask", "deny", "grant"]),
  /** As it is written. */
  rule: z.string(),
  /** Null for what is built in. */
  file: z.string().nullable(),
  line: z.number().int().nullable(),
  kind: z.enum(["global", "project", "grant", "builtin"]),
  /** False for what a folder permits that nobody has trusted. */
  counts: z.boolean(),
});
export type RuleItem = z.infer<typeof ruleSchema>;

export const ruleFlawSchema = z.object({
  file: z.string(),
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
  message: z.string(),
});
export type RuleFlawItem = z.infer<typeof ruleFlawSchema>;

/** A folder that brings a `.signalbox` along. */
export const folderTrustSchema = z.object({
  folder: z.string(),
  /** `changed`: it was trusted, but with other files than these. */
  state: z.enum(["trusted", "changed", "untrusted"]),
  /** Of all its files; null when there is something that cannot be pinned. */
  hash: z.string().nullable(),
  /** Within `.signalbox`. */
  files: z.array(z.string()),
  /** What it permits as long as it is trusted. */
  allows: z.array(z.string()),
  problem: z.string().nullable(),
});
export type FolderTrustItem = z.infer<typeof folderTrustSchema>;

export const permissionsQuery = z.strictObject({ cwd: path });

export const permissionsSchema = z.object({
  cwd: z.string(),
  /** The folder that relative rules of a person start from, and that a grant for the project holds for. */
  project: z.string(),
  rules: z.array(ruleSchema),
  trust: z.array(folderTrustSchema),
  /** While there are any, every decision is ask at best. */
  flaws: z.array(ruleFlawSchema),
});
export type PermissionReport = z.infer<typeof permissionsSchema>;

export const testPermissionBody = z.strictObject({
  /** In the words of the rules: `Shell(git status && rm x)`. */
  call: z.string().min(1).max(100_000),
  cwd: path,
  harness: z.string().min(1).max(100).optional(),
  /** Rules to be taken as granted: what would be, if a person granted them. */
  grants: z.array(z.string().min(1).max(10_000)).max(20).optional(),
});

export const decisionSchema = z.object({
  decision: verdictSchema,
  rule: z.string().nullable(),
  file: z.string().nullable(),
  because: z.string(),
});
export type DecisionItem = z.infer<typeof decisionSchema>;

export const addRuleBody = z.strictObject({
  rule: z.string().min(1).max(10_000),
  /** `grant`: as an answer for more than once, which also holds where a rule says ask. */
  effect: z.enum(["allow", "ask", "deny", "grant"]),
  scope: z.enum(["project", "always"]),
  cwd: path,
});

export const addedRuleSchema = z.object({
  file: z.string(),
  /** False when it was there already. */
  isNew: z.boolean(),
});

export const removeRuleBody = z.strictObject({
  rule: z.string().min(1).max(10_000),
  /** Absent: the one list that holds it. */
  effect: z.enum(["allow", "ask", "deny", "grant"]).optional(),
  scope: z.enum(["project", "always"]),
  cwd: path,
});

export const removedRuleSchema = z.object({
  file: z.string(),
  effect: z.enum(["allow", "ask", "deny", "grant"]),
});

/** What a project is made with, as far as there is a starter file for it. */
export const STARTER_KINDS = ["node", "python", "rust", "go", "make"] as const;
export type StarterKind = (typeof STARTER_KINDS)[number];

export const initPermissionsBody = z.strictObject({
  cwd: path,
  /** Absent: what the project's files tell. */
  kinds: z.array(z.enum(STARTER_KINDS)).min(1).max(STARTER_KINDS.length).optional(),
});

export const writtenStarterSchema = z.object({
  file: z.string(),
  kinds: z.array(z.enum(STARTER_KINDS)),
  ruleCount: z.number().int(),
});

export const trustBody = z.strictObject({
  dir: path,
  /** What the person was shown: refused when it is not that any more. */
  hash: z.string().max(100).optional(),
  /** Trust it no more. */
  revoke: z.boolean().optional(),
});
