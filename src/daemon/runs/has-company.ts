/** Whether an agent is alone in its run, so that nothing else ends with it. */
import type { ProcessEntry } from "../../keeper/process-table.js";

/**
 * Who began so soon after the agent's own process is a part of it: a launcher starts the program itself, and the program
 * its servers of tools. Whatever the model has it run comes later. In the system's unit of time, a hundredth of a second.
 */
const PART_OF_IT_TICKS = 200;
/** The wall's own way to the network, which has a process for each connection: see `src/wall/forwarder.ts`. */
const FORWARDER = "socat";

/** `processes`: all of the machine; empty where the system does not list them, and then nobody can tell. */
export function hasCompany(leaderPid: number | null, processes: readonly ProcessEntry[]): boolean {
  const leader = processes.find(({ pid }) => pid === leaderPid);
  if (!leader) return true;
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const isPart = ({ startTicks }: ProcessEntry): boolean =>
    startTicks - leader.startTicks <= PART_OF_IT_TICKS;
  const forwarders = new Set(
    processes
      .filter((each) => each.name === FORWARDER && each.session === each.pid && isPart(each))
      .map(({ pid }) => pid),
  );
  return processes.some(
    (each) =>
      each.pid !== leader.pid &&
      !each.zombie &&
      !isPart(each) &&
      !forwarders.has(each.session) &&
      (each.group === leader.pid || each.session === leader.pid || descends(each.pid, leader.pid, parents)),
  );
}

function descends(pid: number, from: number, parents: ReadonlyMap<number, number>): boolean {
  const seen = new Set<number>();
  for (let at = parents.get(pid); at !== undefined && !seen.has(at); at = parents.get(at)) {
    if (at === from) return true;
    seen.add(at);
  }
  return false;
}
