/** What a person's approval means to the turn machine, by how long it is to hold. */
export const PERMISSION_CHOICES = {
  once: "allow",
  session: "allow_for_session",
  project: "always_allow_in_project",
  always: "always_allow",
} as const;
