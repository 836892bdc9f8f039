import { ROLES, type Role } from "../protocol/access.js";
import { UsageError } from "./command.js";

/** The role that was typed. */
export function roleOf(typed: string): Role {
  const role = ROLES.find((each) => each === typed);
  if (role !== undefined) return role;
  throw new UsageError(
    `${JSON.stringify(typed)} is no role`,
    `Roles: ${ROLES.join(", ")}; each may do what those before it may.`,
  );
}
