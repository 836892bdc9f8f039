/** An agent inherits the environment of the person who started the daemon, without what belongs to Signalbox itself. */
export function agentEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  ...more: readonly Readonly<Record<string, string>>[]
): Record<string, string> {
  const inherited = Object.entries(ours).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && !pair[0].startsWith("SIGNALBOX_"),
  );
  return Object.assign(Object.fromEntries(inherited), ...more) as Record<string, string>;
}
