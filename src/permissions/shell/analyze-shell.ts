/** What a shell line would run. */
import type { ShellAnalysis } from "../../core/index.js";

export function analyzeShell(command: string, shell: string, cwd: string): ShellAnalysis {
  const opaque = `Not yet read: ${command} (${shell}, ${cwd})`;
  return { commands: [], files: [], hosts: [], glimpses: [], opaque };
}
