import { lstatSync, type Stats } from "node:fs";

const NO_THROW = { throwIfNoEntry: false } as const;

/** Itself, not what it leads to. `hidden`: why it may not be looked at is told by who looks next. */
export function lookAt(path: string): Stats | "none" | "hidden" {
  try {
    return lstatSync(path, NO_THROW) ?? "none";
  } catch {
    return "hidden";
  }
}
