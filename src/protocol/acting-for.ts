/**
 * A client that acts for an agent says so in this header: `mcp`, or `agent:ID` for the session whose agent started it.
 * It takes rights away and never gives any.
 */
export const ACTING_FOR_HEADER = "signalbox-acting-for";
