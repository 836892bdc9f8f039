/**
 * What a call needs of whoever makes it. Every row of the tables of calls says it, and `requirementFor` is the one place
 * that reads it.
 */

/** Each may do what those before it may. `own`: rules, devices, links, and what is lost for good with the daemon. */
export const ROLES = ["watch", "answer", "operate", "own"] as const;
export type Role = (typeof ROLES)[number];

export interface Requirement {
  readonly role: Role;
  /** Never an agent, an MCP client, a schedule or a hook. */
  readonly person: boolean;
}

/** What a field of the body changes about it. */
export interface AccessCase {
  /** `answers.scope`: of any of several. */
  readonly field: string;
  /** Absent: whatever its value is. */
  readonly values?: readonly (string | boolean)[];
  readonly role?: Role;
  readonly person?: true;
}

export interface Access {
  readonly role: Role;
  readonly person?: true;
  readonly cases?: readonly AccessCase[];
}

export function hasRole(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

export function lowerRole(a: Role, b: Role): Role {
  return hasRole(a, b) ? b : a;
}

export function requirementFor(access: Access, body: unknown): Requirement {
  const met = (access.cases ?? []).filter((each) => isMet(each, body));
  return {
    role: met.reduce((role, each) => each.role ?? role, access.role),
    person: access.person === true || met.some(({ person }) => person === true),
  };
}

/** What every body of the call needs: it is asked before the body is read. */
export function leastRequirement({ role, person, cases = [] }: Access): Requirement {
  return {
    role: cases.reduce((least, each) => lowerRole(least, each.role ?? least), role),
    person: person === true,
  };
}

function isMet({ field, values }: AccessCase, body: unknown): boolean {
  return valuesAt(body, field.split(".")).some(
    (value) => value !== undefined && (values?.some((each) => each === value) ?? true),
  );
}

function valuesAt(value: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  if (name === undefined) return [value];
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, [name, ...rest]));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return [];
  return valuesAt((value as Readonly<Record<string, unknown>>)[name], rest);
}
