/** A plan in the words of bubblewrap, on Linux. */
import type { WallPlan } from "../protocol/wall.js";
import { forwarderScript, type ForwarderTools } from "./forwarder.js";
import { byDepth } from "./layers.js";

/** What there is on this machine: see `probe.ts`. */
export interface Bubblewrap extends ForwarderTools {
  readonly program: string;
  readonly version: readonly [number, number, number];
  /** GNU's `env`, which sets how signals are taken. */
  readonly env: string;
  readonly uid: number;
  /** Root may do without; nobody else. */
  readonly hasUserNamespaces: boolean;
}

export interface WalledCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Signals go to the run's process group. Bubblewrap's own processes must not die of them, so they ignore them; the agent
 * inside takes them as it would outside. SIGKILL of bubblewrap ends everything inside, in whatever group or session.
 */
const SIGNALS = "HUP,INT,QUIT,TERM,USR1,USR2";
/** Where copies come from, inside. */
const COPIES = "/run/.signalbox-copies";
/** Pairs of a source and a target up to `--`; then it becomes what follows. */
const COPY_SCRIPT =
  'while [ "$1" != -- ]; do mkdir -p "$(dirname "$2")" && cp "$1" "$2" && chmod u+w "$2" || exit 71; shift 2; done; shift; exec "$@"';

/** `emptyFile`: one that Signalbox keeps. `/dev/null` mounted over a file cannot be read there. */
export function bubblewrapCommand(
  plan: WallPlan,
  inner: { readonly command: string; readonly args: readonly string[] },
  { backend, emptyFile }: { readonly backend: Bubblewrap; readonly emptyFile: string },
): WalledCommand {
  const copies = plan.copied.flatMap(({ path }, index) => [`${COPIES}/${index}`, path]);
  if (plan.network.mode === "listed" && !plan.network.proxy)
    throw new Error("the plan has no way to the hosts that it lists");
  const forwarder = forwarderScript(plan, backend);
  const agent = [
    ...(forwarder === null ? [] : ["/bin/sh", "-c", forwarder, "sh"]),
    ...[backend.env, `--default-signal=${SIGNALS}`, inner.command, ...inner.args],
  ];
  return {
    command: backend.env,
    args: [
      `--ignore-signal=${SIGNALS}`,
      backend.program,
      ...namespaces(plan, backend),
      ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
      // To root, even without capabilities and in a user namespace, the kernel's settings are its own files.
      ...(backend.uid === 0 ? ["--ro-bind", "/proc/sys", "/proc/sys"] : []),
      ...mounts(plan, backend, emptyFile),
      ...["--chdir", plan.cwd, "--"],
      ...(copies.length === 0 ? agent : ["/bin/sh", "-c", COPY_SCRIPT, "sh", ...copies, "--", ...agent]),
    ],
  };
}

function namespaces(plan: WallPlan, { version, uid, hasUserNamespaces }: Bubblewrap): readonly string[] {
  const user = uid !== 0 || hasUserNamespaces;
  // A user namespace of its own for root needs this, and gives nothing else that matters without others.
  const capabilities = plan.nestedNamespaces && user && uid === 0 ? ["--cap-add", "CAP_SETFCAP"] : [];
  return [
    ...["--cap-drop", "ALL", ...capabilities],
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(user ? ["--unshare-user"] : []),
    ...(user && !plan.nestedNamespaces && isAtLeast(version, [0, 8, 0]) ? ["--disable-userns"] : []),
    ...(plan.network.mode === "open" ? [] : ["--unshare-net"]),
    "--die-with-parent",
  ];
}

interface Mount {
  readonly path: string;
  readonly args: readonly string[];
}

function mounts(plan: WallPlan, { version }: Bubblewrap, emptyFile: string): readonly string[] {
  const sized = isAtLeast(version, [0, 7, 0]);
  const all: readonly Mount[] = [
    ...plan.scratch.map(({ path, sizeBytes }) => ({
      path,
      args: [
        ...["--perms", path === plan.home ? "0700" : "1777"],
        ...(sized ? ["--size", String(sizeBytes)] : []),
        ...["--tmpfs", path],
      ],
    })),
    ...plan.writable.map(({ path, from = path }) => ({ path, args: ["--bind", from, path] })),
    ...plan.readOnly.map(({ path, from = path }) => ({ path, args: ["--ro-bind", from, path] })),
    ...plan.sockets.map(({ path, from }) => ({ path, args: ["--ro-bind", from, path] })),
    ...(plan.network.proxy
      ? [
          {
            path: plan.network.proxy.path,
            args: ["--ro-bind", plan.network.proxy.from, plan.network.proxy.path],
          },
        ]
      : []),
    ...plan.hidden.map(({ path, type }) => ({
      path,
      args: type === "folder" ? ["--perms", "0555", "--tmpfs", path] : ["--ro-bind", emptyFile, path],
    })),
    ...plan.copied.map(({ from }, index) => {
      const path = `${COPIES}/${index}`;
      return { path, args: ["--ro-bind", from, path] };
    }),
  ];
  return [
    // The deeper path comes later, and so it wins.
    ...[...all].sort(byDepth).flatMap(({ args }) => args),
    // Only now: what lies below had to be mounted upon them.
    ...plan.hidden.filter(({ type }) => type === "folder").flatMap(({ path }) => ["--remount-ro", path]),
  ];
}

export function isAtLeast(version: readonly number[], wanted: readonly number[]): boolean {
  for (const [index, number] of wanted.entries()) {
    const own = version[index] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}

/** What of an environment a run keeps. Handed over as the keeper's environment, never as arguments: those are seen by all. */
export function wallEnvironment(
  { environment }: Pick<WallPlan, "environment">,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = environment.keep.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), ...environment.set };
}
