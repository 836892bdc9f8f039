import { fileURLToPath } from "node:url";

/** Of this repository. In a file of its own: whoever needs no more does not load the compiler, which takes a second. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
