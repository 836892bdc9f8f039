/** One call for one event, however many tabs are open. */
const KEY = "signalbox.told";
const KEYS_MAX = 200;

/** Whether this tab is to tell it: it is the first to ask. */
export async function claim(key: string): Promise<boolean> {
  // Without locks, on an address that the browser does not trust, two tabs may both be first.
  if (!("locks" in navigator)) return take(key);
  return navigator.locks.request(KEY, () => take(key));
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
