/**
 * Programs that run a command in a container. Denies and asks of commands are about it; its words are no files of this
 * machine. What the container is given of this machine, by options in front of it, is.
 */
import { isOptionWord, takesNext } from "./option-words.js";
import { literalWord, type ShellWord } from "./shell-word.js";
import { glimpse, runs, type Inner, type Unwrapped } from "./unwrapped.js";

const CLIENTS = new Set(["docker", "podman", "nerdctl", "docker-compose", "podman-compose"]);

export function runsContainers(name: string): boolean {
  return CLIENTS.has(name);
}

const STARTS = new Set(["run", "create", "exec"]);
/** Words that may stand in front of these. */
const GROUPS = new Set(["compose", "container"]);

/** Long options without a value. Any other takes the next word, unless that is an option. */
const FLAGS = new Set(
  [
    "rm init privileged read-only interactive tty detach publish-all no-healthcheck oom-kill-disable sig-proxy quiet no-deps",
    "service-ports build no-tty no-TTY remove-orphans use-aliases replace help tls tlsverify debug all-resources dry-run",
    "compatibility disable-content-trust env-host http-proxy no-hosts no-hostname rmi systemd",
  ]
    .join(" ")
    .split(" "),
);
const LETTERS = "acefhHlmpuvw";

interface ContainerWords {
  /** Options of the container: what it is given. */
  readonly options: readonly ShellWord[];
  /** What runs in it, with the program that an option names. */
  readonly command: readonly ShellWord[];
}

/** Null when no container is started, nor anything in one. */
export function containerWords(words: readonly ShellWord[]): ContainerWords | null {
  let start = operandAt(words, 1);
  while (GROUPS.has(words[start]?.value ?? "")) start = operandAt(words, start + 1);
  if (!STARTS.has(words[start]?.value ?? "")) return null;
  const image = operandAt(words, start + 1);
  const options = [...words.slice(1, start), ...words.slice(start + 1, image)];
  const [entry] = valuesOf(options, /^--entrypoint(?:=|$)/);
  const command = words.slice(image + 1);
  return { options, command: entry ? [entry, ...command] : command };
}

/** The first word that is no option, and no value of one. */
function operandAt(words: readonly ShellWord[], from: number): number {
  let index = from;
  for (let word = words[index]; word; word = words[index]) {
    if (!isOptionWord(word.value) && !mayBeOptions(words, index)) break;
    index += 1;
    const next = words[index];
    if (isOptionWord(word.value) && takesValue(word.value) && next && !isOptionWord(next.value)) index += 1;
  }
  return index;
}

/** `$OPTIONS -v /:/host`: what is computed stands before an option. */
function mayBeOptions(words: readonly ShellWord[], from: number): boolean {
  const next = words.slice(from).find((word) => !word.unknown || isOptionWord(word.value));
  return words[from]?.unknown === true && next !== undefined && isOptionWord(next.value);
}

function takesValue(option: string): boolean {
  if (option.startsWith("--")) return !option.includes("=") && !FLAGS.has(option.slice(2));
  return takesNext(option, { letters: LETTERS });
}

export function unwrapContainer(name: string, words: readonly ShellWord[]): Unwrapped | null {
  if (!CLIENTS.has(name)) return null;
  const { command = [] } = containerWords(words) ?? {};
  const inner: readonly Inner[] =
    command.length === 0 ? [] : [{ type: "words", words: command, isSeen: true, isContained: true }];
  return runs([glimpse(words.slice(1)), ...inner, ...inShort(words)]);
}

/** `docker container run` is `docker run`. */
function inShort([client, group, ...rest]: readonly ShellWord[]): readonly Inner[] {
  if (!client || !/^(?:container|image)$/.test(group?.value ?? "") || rest.length === 0) return [];
  return [{ type: "words", words: [client, ...rest], isSeen: true }];
}

export interface Mount {
  readonly word: Pick<ShellWord, "path" | "exact">;
  readonly isReadOnly: boolean;
}

/** What of this machine a container is given; and the options that say something else. */
export function mountsOf(options: readonly ShellWord[]): {
  readonly mounts: readonly Mount[];
  readonly others: readonly ShellWord[];
} {
  const volumes = valuesOf(options, VOLUME).flatMap(volumeSource);
  const mounts = valuesOf(options, MOUNT).flatMap(mountSource);
  const others = options.filter(
    ({ value }, index) => !TAKEN.test(value) && !TAKEN_APART.test(options[index - 1]?.value ?? ""),
  );
  return { mounts: [...volumes, ...mounts], others };
}

const VOLUME = /^(?:-[A-Za-z]*v|--volume(?:=|$))/;
const MOUNT = /^--mount(?:=|$)/;
/** Options whose value is no file of this machine, or was looked at. */
const TAKEN =
  /^(?:-[A-Za-z]*[vweuhpl]|--(?:volume|mount|workdir|env|user|hostname|publish|label|name|entrypoint|network)(?:=|$))/;
const TAKEN_APART =
  /^(?:-[A-Za-z]*[vweuhpl]|--(?:volume|mount|workdir|env|user|hostname|publish|label|name|entrypoint|network))$/;

/** Behind `=`, behind its letter, or the next word. */
function valuesOf(words: readonly ShellWord[], option: RegExp): readonly ShellWord[] {
  return words.flatMap((word, index) => {
    const [start] = option.exec(word.value) ?? [];
    if (start === undefined) return [];
    const rest = word.value.slice(start.length);
    const next = words[index + 1];
    if (rest === "" && !start.endsWith("=")) return next ? [next] : [];
    const path = word.exact ? word.path.slice(start.length) : word.path;
    return [{ ...literalWord(rest), path, exact: word.exact, unknown: word.unknown }];
  });
}

const ANY_FILE = { path: "/**", exact: false };

/** `source:target:options`. A name without a slash is a volume that the client keeps itself. */
function volumeSource({ path, exact }: ShellWord): readonly Mount[] {
  if (!exact) return [{ word: ANY_FILE, isReadOnly: false }];
  const [source = "", target, modes = ""] = path.split(":");
  if (target === undefined || !/^[./~]|\//.test(source)) return [];
  return [{ word: { path: source, exact }, isReadOnly: /(?:^|,)ro(?:,|$)/.test(modes) }];
}

/** `type=bind,source=/,target=/host,readonly` */
function mountSource({ path, exact }: ShellWord): readonly Mount[] {
  if (!exact) return [{ word: ANY_FILE, isReadOnly: false }];
  const fields = path.split(",");
  const isReadOnly = fields.some((field) => /^(?:readonly|ro)(?:=true|=1)?$/.test(field));
  const sources = fields.flatMap((field) => /^(?:source|src)=(.+)$/s.exec(field)?.[1] ?? []);
  return sources.map((source) => ({ word: { path: source, exact }, isReadOnly }));
}
