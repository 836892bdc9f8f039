/** Tells every agent that the daemon starts which session it is in. Its own programs inherit it. */
export const SESSION_VARIABLE = "SIGNALBOX_SESSION_ID";
