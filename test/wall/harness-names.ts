import { HARNESSES } from "../../src/harness/registry.js";

/** Of every harness that there is: a new one needs its table. */
export const HARNESS_NAMES: readonly string[] = HARNESSES.map(({ name }) => name);
