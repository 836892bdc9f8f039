/** What a call would do, with every path followed to where it leads. Rules are matched against this. */
import type { ShellAnalysis, ShellFile, ShellHost } from "./shell-analysis.js";

export interface FileAccess {
  readonly category: "Read" | "Write";
  /** As the agent gave it. */
  readonly path: string;
  /** Every name of it: absolute as given, real after links and `..`, relative to the project. Denies look at each. */
  readonly paths: readonly string[];
  /** The real paths that it may lead to, nearly always one. An allow must cover each of them. */
  readonly targets: readonly string[];
  /** False: `paths` are globs, as the shell computes the name. */
  readonly exact: boolean;
  /** Real paths that patterns start from. */
  readonly project: string;
  readonly home: string;
}

export interface ResolvedShellFile {
  readonly use: ShellFile;
  readonly access: FileAccess;
}

export interface ResolvedShellHost {
  readonly use: ShellHost;
  readonly access: WebAccess;
}

export interface ShellAccess {
  readonly category: "Shell";
  readonly command: string;
  readonly analysis: ShellAnalysis;
  readonly files: readonly ResolvedShellFile[];
  readonly hosts: readonly ResolvedShellHost[];
}

export interface WebAccess {
  readonly category: "Web";
  readonly host: string;
  /** The names of that one host: in ASCII, in Unicode, as an IPv4 address. */
  readonly hosts: readonly string[];
}

export type ResolvedAccess =
  | FileAccess
  | ShellAccess
  | WebAccess
  | { readonly category: "Mcp"; readonly server: string; readonly tool: string }
  | { readonly category: "Tool"; readonly name: string };
