/** How far an answer of a person holds. */
export type PermissionScope = "once" | "session" | "project" | "always";
