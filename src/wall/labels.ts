/** What holds of a session, in each category, and what does not: said in one sentence each. */
import { AGENT_SOCKET_FOLDER } from "../protocol/agent-socket.js";
import type { WallLabel, WallPlan } from "../protocol/wall.js";
import type { Enforcement } from "../protocol/session.js";

export interface Holding {
  /** What stands around the run; null: nothing does. */
  readonly plan: WallPlan | null;
  /** Why nothing does, for a person; null: nobody wanted it, or the run is older than walls. */
  readonly noWallBecause: string | null;
  /** What the harness does about its calls by itself. */
  readonly enforcement: Enforcement;
}

const ASKED: Readonly<Record<Enforcement, string>> = {
  enforced: "Every call is held against your rules before it is done.",
  "when-asked": "Your rules hold for what the agent asks about, and it does not ask about everything.",
  none: "Nothing holds your rules here.",
};

export function wallLabels({ plan, noWallBecause, enforcement }: Holding): readonly WallLabel[] {
  const asked = { holds: enforcement, sentence: ASKED[enforcement] } as const;
  if (!plan) {
    const why =
      noWallBecause === null ? "There is no wall around this run." : `There is no wall: ${noWallBecause}`;
    const open = {
      holds: "none",
      sentence: `${why} Programs that the agent starts may do whatever you may.`,
    } as const;
    // What a program opens by itself is asked about by nobody.
    const files = {
      holds: enforcement === "enforced" ? "when-asked" : enforcement,
      sentence: `${why} ${ASKED[enforcement]} Of a command, only the names of files that stand in it are seen.`,
    } as const;
    return [
      { category: "read", ...files },
      { category: "write", ...files },
      { category: "processes", ...open },
      { category: "sockets", ...open },
      { category: "network", ...asked },
      { category: "commands", ...asked },
    ];
  }
  return [
    { category: "read", holds: "walled", sentence: readSentence(plan) },
    { category: "write", holds: "walled", sentence: writeSentence(plan) },
    {
      category: "processes",
      holds: "walled",
      sentence: "The run sees and signals only its own processes, and all of them end with it.",
    },
    { category: "sockets", holds: "walled", sentence: socketSentence(plan) },
    networkLabel(plan, asked),
    {
      category: "commands",
      ...asked,
      sentence: `${asked.sentence} Whatever a command is, it stays inside the wall.`,
    },
  ];
}

function readSentence({ hidden, gaps }: WallPlan): string {
  const rules = new Set(hidden.flatMap(({ rule }) => rule ?? [])).size;
  const open = gaps.filter(({ rule }) => rule.startsWith("Read(")).length;
  return [
    "The home folder is empty but for tools and what is shown; the system can be read.",
    rules === 0 ? "" : ` ${counted(rules, "rule hides", "rules hide")} files.`,
    open === 0 ? "" : ` ${counted(open, "remark says", "remarks say")} what is not hidden.`,
  ].join("");
}

function writeSentence({ cwd, writable }: WallPlan): string {
  const others = writable.filter(({ path }) => path !== cwd && !path.startsWith(`${cwd}/`)).length;
  const beside = others === 0 ? "" : `, and ${counted(others, "other place", "other places")}`;
  return `Only the session's folder can be changed${beside}; settings of agents, hooks of git and rules cannot.`;
}

function socketSentence({ sockets, readOnly, network }: WallPlan): string {
  const own = readOnly.some(({ path }) => path === AGENT_SOCKET_FOLDER)
    ? " beside the one by which the agent reaches Signalbox as itself"
    : "";
  const named =
    sockets.length === 0
      ? `No socket of this machine is there${own}`
      : `Only ${counted(sockets.length, "named socket is", "named sockets are")} there${own}`;
  return network.mode === "open"
    ? `${named}, but for abstract ones, which go with the network.`
    : `${named}.`;
}

function networkLabel({ network }: WallPlan, asked: Omit<WallLabel, "category">): WallLabel {
  switch (network.mode) {
    case "closed":
      return { category: "network", holds: "walled", sentence: "There is no network." };
    case "listed":
      return { category: "network", holds: "walled", sentence: listedSentence(network) };
    case "open":
      return {
        category: "network",
        holds: asked.holds === "enforced" ? "when-asked" : asked.holds,
        sentence:
          "Every host, and every port of this machine, can be reached by programs that the agent starts.",
      };
  }
}

function listedSentence({ hosts, services }: WallPlan["network"]): string {
  const beside = services.length === 0 ? "" : `, and ${counted(services.length, "service", "services")}`;
  return `Only ${counted(hosts.length, "listed host", "listed hosts")} can be reached${beside}; any other has to be allowed.`;
}

function counted(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}
