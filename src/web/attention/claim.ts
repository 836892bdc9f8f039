/** One call for one event, however many tabs are open. */
const KEY = "signalbox.told";
const KEYS_MAX = 200;
/** Browsers hold back a hidden tab's timers for up to a minute. */
const HELD_MS = 120_000;

/** Whether this tab is to tell it: it is the first to ask. */
export function claim(key: string): Promise<boolean> {
  // Without locks, on an address that the browser does not trust, two tabs may both be first.
  if (!("locks" in navigator)) return Promise.resolve(take(key));
  const { locks } = navigator;
  return new Promise((resolve, reject) => {
    const hold = async (lock: Lock | null) => {
      const isFirst = lock !== null && (await locks.request(KEY, () => take(key)));
      resolve(isFirst);
      // Another tab may see late what is in the storage. The lock it sees at once.
      if (isFirst) await new Promise((done) => void setTimeout(done, HELD_MS));
    };
    locks.request(`${KEY} ${key}`, { ifAvailable: true }, hold).catch(reject);
  });
}

function take(key: string): boolean {
  try {
    const told = readKeys();
    if (told.includes(key)) return false;
    localStorage.setItem(KEY, JSON.stringify([...told, key].slice(-KEYS_MAX)));
  } catch {
    // A browser that keeps nothing cannot compare: better twice than never.
  }
  return true;
}

function readKeys(): readonly unknown[] {
  const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
  return Array.isArray(value) ? value : [];
}
