import { parseArgs, type ParseArgsConfig } from "node:util";
import { UsageError } from "./command.js";
import { nearestName } from "./nearest-name.js";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** A command's options and other words; what is not understood is said with a hint. */
export function parseOptions<const O extends Options>(
  command: string,
  args: readonly string[],
  options: O,
): ReturnType<typeof parseArgs<{ args: string[]; allowPositionals: true; options: O }>> {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    const names = Object.keys(options).map((name) => `--${name}`);
    throw usageError(error, command, args, names);
  }
}

function usageError(
  error: unknown,
  command: string,
  args: readonly string[],
  names: readonly string[],
): unknown {
  if (!(error instanceof TypeError) || !("code" in error)) return error;
  const seeHelp = `See signalbox ${command} --help.`;
  if (error.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") return new UsageError(error.message, seeHelp);
  const typed = args.map((arg) => arg.split("=")[0] ?? "").filter((arg) => arg.startsWith("-"));
  const unknown = typed.find((arg) => !names.includes(arg)) ?? "";
  const nearest = nearestName(unknown, names);
  const hint = nearest === null ? seeHelp : `Did you mean ${nearest}? ${seeHelp}`;
  return new UsageError(`unknown option ${JSON.stringify(unknown)}`, hint);
}
