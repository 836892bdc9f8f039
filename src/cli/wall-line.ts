/** The plan of a run's wall, as the journal has it, in one line. */
import { plainText } from "./plain-text.js";

const NETWORKS: Readonly<Record<string, string>> = {
  open: "the network is open",
  closed: "no network",
  listed: "only listed hosts",
};

/** Null: it is none that is known here. */
export function wallLine(wall: unknown): string | null {
  if (!isObject(wall) || !isObject(wall["plan"])) return null;
  const { run, plan } = wall;
  const { cwd, network } = plan;
  if (typeof run !== "number" || typeof cwd !== "string") return null;
  const count = (key: string): number => (Array.isArray(plan[key]) ? plan[key].length : 0);
  const mode = isObject(network) && typeof network["mode"] === "string" ? network["mode"] : "";
  const parts = [
    `run ${run} is kept in ${plainText(cwd)}`,
    `${count("writable")} places can be written, ${count("readOnly")} only read, ${count("hidden")} are hidden`,
    ...(mode in NETWORKS ? [NETWORKS[mode]] : []),
    count("gaps") === 1 ? "1 gap" : `${count("gaps")} gaps`,
  ];
  return parts.join("; ");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
