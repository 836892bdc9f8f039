import { UsageError } from "./command.js";

/** Which of the options that exclude each other was given. */
export function givenOne<const Names extends readonly string[]>(
  names: Names,
  values: Readonly<Record<string, unknown>>,
): Names[number] | undefined {
  const given = names.filter((name) => values[name] === true);
  if (given.length <= 1) return given[0];
  throw new UsageError(
    `${given.map((name) => `--${name}`).join(" and ")} exclude each other`,
    `See signalbox permissions --help.`,
  );
}
