/** Every line of the corpus, by what it is about. */
import { EVASION_GRAMMAR_CASES } from "./evasion-grammar-cases.js";
import { EVASION_PROGRAM_CASES } from "./evasion-program-cases.js";
import { EVERYDAY_CASES } from "./everyday-cases.js";
import { FILE_CASES } from "./file-cases.js";
import { GRAMMAR_CASES } from "./grammar-cases.js";
import { GTFOBINS_CASES } from "./gtfobins-cases.js";
import { HANDED_CASES } from "./handed-cases.js";
import { HIDDEN_CASES } from "./hidden-cases.js";
import { NEAR_CASES } from "./near-cases.js";
import { OPERAND_CASES } from "./operand-cases.js";
import { OPTION_CASES } from "./option-cases.js";
import { PATH_CASES } from "./path-cases.js";
import { PLAIN_CASES } from "./plain-cases.js";
import { PUBLISHED_AGENT_CASES } from "./published-agent-cases.js";
import { PUBLISHED_FILTER_CASES } from "./published-filter-cases.js";
import type { ShellCase } from "./shell-case.js";
import { SHELL_CASES } from "./shell-cases.js";
import { VARIABLE_CASES } from "./variable-cases.js";
import { WORKING_CASES } from "./working-cases.js";
import { WRAPPER_CASES } from "./wrapper-cases.js";

export const ALL_CASES: Readonly<Record<string, readonly ShellCase[]>> = {
  "plain lines": PLAIN_CASES,
  "places of the grammar": GRAMMAR_CASES,
  "programs that run others": WRAPPER_CASES,
  "files and hosts": FILE_CASES,
  "published: agents": PUBLISHED_AGENT_CASES,
  "published: filters": PUBLISHED_FILTER_CASES,
  "published: GTFOBins": GTFOBINS_CASES,
  "evasions: programs": EVASION_PROGRAM_CASES,
  "evasions: grammar": EVASION_GRAMMAR_CASES,
  "own: what others hide": HIDDEN_CASES,
  "own: operands": OPERAND_CASES,
  "own: options": OPTION_CASES,
  "own: handed over": HANDED_CASES,
  "own: near to everyday lines": NEAR_CASES,
  "own: the shell itself": SHELL_CASES,
  "own: variables": VARIABLE_CASES,
  "own: paths and other names": PATH_CASES,
  "everyday lines": EVERYDAY_CASES,
  "a day's work": WORKING_CASES,
};
