/** The most entries that one read gives; a longer read would keep everyone else waiting. */
export const READ_LENGTH_MAX = 1_000;

/** Where counting stops: nobody catches up with so many entries one by one. */
export const COUNT_MAX = 20_000;
