/** How the calls outside of the API table are answered. */
import type { Metrics } from "../metrics/metrics.js";
import type { SseHub } from "../sse/sse-hub.js";
import type { Desk } from "./call-handler.js";
import { LINK_PAGE_POLICY, linkPage } from "./link-page.js";
import { openApiDocument } from "./openapi.js";
import { check, parseQuery } from "./parse-input.js";
import { PLAIN_CALLS, type PlainCallName } from "../../protocol/plain-calls.js";
import { busy, failure, flawed, sessionNotFound } from "./problem.js";
import { answerText, JSON_MEDIA_TYPE, type Route } from "./route.js";

export interface PlainDesk extends Desk {
  readonly metrics: Metrics;
  readonly sseHub: SseHub;
  readonly version: string;
  readonly startedAtMs: number;
  /** What a person types here to get a new link. */
  readonly openCommand?: string;
}

type Handle = Route["handle"];

export function plainRoutes(desk: PlainDesk): readonly Route[] {
  const handles: Record<PlainCallName, Handle> = {
    health: health(desk),
    events: events(desk),
    terminal: () =>
      failure("protocol_error", "A terminal needs a WebSocket.", {
        status: 426,
        headers: { upgrade: "websocket", connection: "upgrade" },
      }),
    metrics: metrics(desk),
    openapi: openApi(desk),
    login: login(desk),
  };
  return (Object.keys(PLAIN_CALLS) as PlainCallName[]).map((name) => {
    const { method, path, access } = PLAIN_CALLS[name];
    return { name, method, path, access, handle: handles[name] };
  });
}

function health({ version, startedAtMs }: PlainDesk): Handle {
  return ({ response }) => {
    const report = { ok: true, version, pid: process.pid, uptimeMs: Math.max(0, Date.now() - startedAtMs) };
    answerText(response, 200, JSON_MEDIA_TYPE, JSON.stringify(report));
    return null;
  };
}

/** Where a client was cut off goes before where it began. */
function events({ board, sseHub, connections }: PlainDesk): Handle {
  return ({ request, response, query, caller }) => {
    const values = parseQuery(query);
    const wanted = values.ok ? check(PLAIN_CALLS.events.query, values.value) : values;
    if (!wanted.ok) return wanted;
    const lastEventId = String(request.headers["last-event-id"] ?? "");
    if (!/^[0-9]{0,15}$/.test(lastEventId)) return flawed("Last-Event-ID", "Not a position");
    const sessionId = wanted.value.session ?? null;
    if (sessionId !== null && !board.session(sessionId)) return sessionNotFound(sessionId);
    if (sseHub.isFull) return busy("Too many clients listen already.");
    if (caller) connections.hold(request.socket, caller);
    const after = lastEventId === "" ? (wanted.value.after ?? null) : Number(lastEventId);
    sseHub.attach(request, response, { sessionId, after });
    return null;
  };
}

function metrics(desk: PlainDesk): Handle {
  return async ({ response }) => {
    answerText(response, 200, PLAIN_CALLS.metrics.mediaType, await desk.metrics.text());
    return null;
  };
}

function openApi({ version }: PlainDesk): Handle {
  let text: string | null = null;
  return ({ response }) => {
    text ??= JSON.stringify(openApiDocument(version));
    answerText(response, 200, JSON_MEDIA_TYPE, text);
    return null;
  };
}

const OLD_LINK = {
  status: 403,
  heading: "This link no longer works",
  sentence:
    "A link signs in one browser, once, within an hour. This one was used, is too old, or is from before the daemon was restarted. Run this on the machine where Signalbox runs to get a new one:",
};
const TOO_MANY_LINKS = {
  status: 429,
  heading: "Too many wrong links",
  sentence: "Wait a minute. Then run this to get a new one:",
};

function login({ auth, openCommand = "signalbox open" }: PlainDesk): Handle {
  return async ({ request, response, query, baseUrl }) => {
    const isSecure = baseUrl.startsWith("https:");
    const visitor = {
      address: request.socket.remoteAddress ?? "",
      userAgent: request.headers["user-agent"],
    };
    const answer = await auth.login(query.get("code") ?? "", visitor, isSecure);
    if (typeof answer === "string") {
      const { status, heading, sentence } = answer === "limited" ? TOO_MANY_LINKS : OLD_LINK;
      response.setHeader("content-security-policy", LINK_PAGE_POLICY);
      answerText(response, status, "text/html; charset=utf-8", linkPage(heading, sentence, openCommand));
    } else {
      const headers = { location: "/", "set-cookie": answer.cookie, "cache-control": "no-store" };
      response.writeHead(303, headers).end();
    }
    return null;
  };
}
