/** The calls that do not carry JSON both ways, or are open to all: what is not in the API table. */
import { z } from "zod";
import type { Access } from "./access.js";
import { healthSchema } from "./api-schemas.js";

export interface PlainCall {
  readonly method: "GET";
  readonly path: string;
  readonly summary: string;
  /** Null: anybody, without a token. */
  readonly access: Access | null;
  readonly query?: z.ZodObject;
  readonly status: number;
  readonly mediaType: string | null;
  readonly response?: z.ZodType;
}

const WATCH = { role: "watch" } as const satisfies Access;

export const PLAIN_CALLS = {
  health: {
    method: "GET",
    path: "/healthz",
    summary: "Whether the daemon is up",
    access: null,
    status: 200,
    mediaType: "application/json",
    response: healthSchema,
  },
  events: {
    method: "GET",
    path: "/v1/events",
    summary: "Server-sent events: what happens, of all sessions or one; `Last-Event-ID` resumes",
    access: WATCH,
    query: z.strictObject({
      session: z.string().min(1).optional(),
      after: z.coerce.number().int().nonnegative().optional(),
    }),
    status: 200,
    mediaType: "text/event-stream",
  },
  terminal: {
    method: "GET",
    path: "/v1/sessions/:id/terminal",
    summary:
      "WebSocket: the session's screen, then its bytes; input and sizes in, from whoever may type keys",
    access: WATCH,
    status: 101,
    mediaType: null,
  },
  metrics: {
    method: "GET",
    path: "/metrics",
    summary: "Counters for Prometheus",
    access: WATCH,
    status: 200,
    mediaType: "text/plain; version=0.0.4; charset=utf-8",
  },
  openapi: {
    method: "GET",
    path: "/v1/openapi.json",
    summary: "This document",
    access: WATCH,
    status: 200,
    mediaType: "application/json",
  },
  login: {
    method: "GET",
    path: "/login",
    summary: "Signs a browser in with the code of a one-time link",
    access: null,
    query: z.strictObject({ code: z.string().min(1) }),
    status: 303,
    mediaType: null,
  },
} as const satisfies Readonly<Record<string, PlainCall>>;

export type PlainCallName = keyof typeof PLAIN_CALLS;
