/**
 * The soft limit of open files, from what Linux says in `/proc/PID/limits`; null: there is none, or the text is another.
 *
 * Node raises its own to the hard one when it starts: only the process that started it still has what the person set.
 */
export function openFilesIn(limits: string): number | null {
  const [, soft] = /^Max open files +(\d+) /m.exec(limits) ?? [];
  return soft === undefined ? null : Number(soft);
}
