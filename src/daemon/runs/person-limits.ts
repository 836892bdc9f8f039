/** What agents have in common with the shell of the person who started the daemon. */
export interface PersonLimits {
  readonly umask: number;
  /** The soft limit of open files. Absent: it is not known. */
  readonly openFilesMax?: number;
}
