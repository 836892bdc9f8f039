/** The name of a program or file, without the folders before it. */
export function programName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
