/** Agents try to call home. Where the system can give them a network with nobody else on it, they get that. */
import { spawnSync } from "node:child_process";
import { say } from "./set-up.mjs";

/** A program and its arguments that runs another program; none where that is not possible. */
export function withoutNetwork() {
  const launcher = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  const [program, ...args] = launcher;
  const isPossible = spawnSync(program, [...args, "true"], { stdio: "ignore" }).status === 0;
  if (!isPossible) say("the agents can reach the network; nothing here needs it");
  return isPossible ? launcher : [];
}
