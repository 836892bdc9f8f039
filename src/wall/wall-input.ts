/** What a wall is compiled from: rules, a session, a harness, and facts about the machine that were gathered before. */
import type { Rule } from "../core/index.js";
import { DEFAULT_WALL_NETWORK, type WallNetwork, type WallPreset } from "../protocol/wall.js";

export interface WallSession {
  /** The session's folder, as it was given. */
  readonly cwd: string;
  readonly harness: string;
  /** The agent's program and whatever else it is run from: shown read-only, with the package around it. */
  readonly programs: readonly string[];
  /** Signalbox's own folders: hidden, wherever they are. */
  readonly dataDir: string;
  readonly configDir: string;
  /** Files and folders below the data folder that this run has for itself: its hooks file, its conversation. */
  readonly ownFiles: readonly OwnFile[];
  /** Sockets of this machine that are shown, and under which name. */
  readonly sockets: readonly { readonly path: string; readonly from: string; readonly why: string }[];
  /** Where the sockets are by which the run reaches the network. Null: it is only a plan. */
  readonly networkDir: string | null;
  /** The project's package caches, kept by Signalbox. Null: caches are the run's own and gone with it. */
  readonly cacheDir: string | null;
  /** Objects of the repository that a workspace was made from, by Signalbox's own record: never from a file in it. */
  readonly gitObjects: readonly string[];
  readonly settings: WallSettings;
}

export interface OwnFile {
  readonly path: string;
  /** Its name inside, in a folder that is empty there; absent: the same. */
  readonly inside?: string;
  readonly type: "file" | "folder";
  readonly isWritable: boolean;
  readonly why: string;
}

/** `[wall]` of a person's configuration. Paths are absolute or begin with `~/`. */
export interface WallSettings {
  readonly reveal: readonly string[];
  readonly writable: readonly string[];
  /** Names of environment variables that are kept beside the usual ones; a star at the end stands for any rest. */
  readonly environment: readonly string[];
  readonly network: WallNetwork;
  /** Beside those of the agent: `host`, `*.suffix`; with `:port`, otherwise 80 and 443. */
  readonly hosts: readonly string[];
  /** `host:port` on this machine or a private network. */
  readonly services: readonly string[];
  readonly presets: readonly WallPreset[];
  /** What programs inside serve can be reached from this machine. */
  readonly publish: boolean;
}

export const DEFAULT_WALL_SETTINGS: WallSettings = {
  reveal: [],
  writable: [],
  environment: [],
  network: DEFAULT_WALL_NETWORK,
  hosts: [],
  services: [],
  presets: [],
  publish: true,
};

/** A path of this machine, followed to its end. */
export interface PathFact {
  readonly real: string;
  readonly type: "file" | "folder" | "socket" | "other";
}

/** A rule about files, expanded to what is there. */
export interface Mask {
  readonly effect: "hidden" | "readOnly";
  /** Real. */
  readonly path: string;
  readonly type: "file" | "folder";
  /** As it is written. */
  readonly rule: string;
}

/** Of the repository that the session's folder is in. */
export interface GitFacts {
  /** Real: the repository's directory, or a linked worktree's own part of it. */
  readonly gitDir: string;
  /** Real; the same as `gitDir` but for a linked worktree. */
  readonly commonDir: string;
  /** Real: the file `.git`, where it is no folder. */
  readonly gitFile: string | null;
  /** What git runs programs for, below `gitDir` and `commonDir`, and is there. */
  readonly guarded: readonly { readonly path: string; readonly type: "file" | "folder" }[];
  /** The same, and not there: made, so that no agent makes it. */
  readonly missing: readonly {
    readonly path: string;
    readonly type: "file" | "folder";
    readonly text?: string;
  }[];
}

export interface Machine {
  readonly platform: string;
  readonly uid: number;
  /** Real. */
  readonly home: string;
  readonly memoryBytes: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Every path of `pathsToLookAt`; null: not there, a broken link, or a loop of them. */
  readonly paths: ReadonlyMap<string, PathFact | null>;
  /** Names of variables that the agent's own settings refer to. */
  readonly settingsVariables: readonly string[];
  /** Addresses in them: where models are. */
  readonly settingsUrls: readonly string[];
  /** Real paths of sockets that somebody listens on. */
  readonly listening: readonly string[];
  readonly git: GitFacts | null;
  readonly masks: readonly Mask[];
  /** What could not be expanded, but is no reason to refuse. */
  readonly maskGaps: readonly { readonly rule: string; readonly why: string }[];
}

export interface WallInput {
  readonly rules: readonly Rule[];
  readonly session: WallSession;
  readonly machine: Machine;
}

/** Why a run cannot have a wall: said to the person, and nothing is started. */
export interface WallRefusal {
  readonly ok: false;
  readonly code: "folder_missing" | "folder_too_wide" | "too_many_masks" | "no_backend" | "not_applicable";
  readonly reason: string;
}
