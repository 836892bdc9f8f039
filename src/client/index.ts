/** `signalbox/client`: a typed client of the daemon, for browsers and Node. */
export { createClient } from "./create-client.js";
export type { CallArguments, CallResult, Client, ClientOptions, Fetch, Health } from "./client.js";
export type { EventItem, EventQuery } from "./event-item.js";
export type { FollowItem } from "./follow-session.js";
export { SignalboxError, UnreachableError } from "./signalbox-error.js";
