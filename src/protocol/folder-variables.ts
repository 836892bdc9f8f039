/**
 * Folders that the environment names. A path that is not absolute counts as none, as the XDG specification says: what
 * lies in the folder in which we happen to be must never pass for the person's own.
 */
type Variables = Readonly<Record<string, string | undefined>>;

const AT_HOME = {
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  XDG_STATE_HOME: ".local/state",
} as const;

/** `ofUser`: the home folder as the system has it. Only asked where it is needed, because not every user has one. */
export function homeFolder(variables: Variables, ofUser: () => string): string {
  return folderIn(variables, "HOME") ?? ofUser();
}

export function baseFolder(variables: Variables, name: keyof typeof AT_HOME, ofUser: () => string): string {
  return folderIn(variables, name) ?? `${homeFolder(variables, ofUser)}/${AT_HOME[name]}`;
}

function folderIn(variables: Variables, name: string): string | null {
  const path = variables[name];
  return path?.startsWith("/") === true ? path : null;
}
