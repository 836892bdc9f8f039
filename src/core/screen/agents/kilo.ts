/** Kilo is built on OpenCode, and shows the same. */
import type { RuleTable } from "../rule.js";
import { OPENCODE } from "./opencode.js";

export const KILO: RuleTable = OPENCODE;
