import { setTimeout as sleep } from "node:timers/promises";
import { KeeperClient } from "./keeper-client.js";

const POLL_DELAY_MS = 25;
/** Longer than the time that agents have to end. */
const POLLS_MAX = 600;

/** Ends the keeper of a data folder, when one runs. Gives the runs that live, and then leaves it alone unless `withAgents`. */
export async function endKeeper(dataDir: string, withAgents: boolean): Promise<readonly string[]> {
  const found = await KeeperClient.find(dataDir);
  if (found === null) return [];
  const { client, runs } = found;
  const living = runs.filter(({ exit }) => exit === null).map(({ runId }) => runId);
  if (living.length > 0 && !withAgents) {
    client.close();
    return living;
  }
  await client.shutdown();
  for (let polled = 0; polled < POLLS_MAX; polled += 1) {
    const again = await KeeperClient.find(dataDir);
    if (again === null) return [];
    again.client.close();
    await sleep(POLL_DELAY_MS);
  }
  return living;
}
