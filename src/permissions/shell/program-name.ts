/** The name of a program or file, without the folders before it, and without the ending of Windows. */
export function programName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
}
