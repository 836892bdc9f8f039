/** Where the daemon listens when nobody says otherwise. */
export const DEFAULT_PORT = 4747;
