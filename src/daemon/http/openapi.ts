/** The API as an OpenAPI 3.1 document, written from the same tables that route and check requests. */
import { z } from "zod";
import { API, type Call } from "../../protocol/api.js";
import { healthSchema, inboxItemSchema, journalEntrySchema } from "../../protocol/api-schemas.js";
import { deviceSchema } from "../../protocol/device.js";
import { PROBLEM_MEDIA_TYPE, problemSchema } from "../../protocol/problem.js";
import { askSchema, sessionDetailSchema, sessionSchema } from "../../protocol/session.js";
import { stateEventSchema } from "../../protocol/state-event.js";
import { streamEventSchema } from "../../protocol/stream-event.js";
import { COOKIE_NAME } from "./auth.js";
import { PLAIN_CALLS, type PlainCall } from "../../protocol/plain-calls.js";

type Node = Readonly<Record<string, unknown>>;

/** Schemas that have a name in the document. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  Ask: askSchema,
  Device: deviceSchema,
  Health: healthSchema,
  InboxItem: inboxItemSchema,
  JournalEntry: journalEntrySchema,
  Problem: problemSchema,
  Session: sessionSchema,
  SessionDetail: sessionDetailSchema,
  StateEvent: stateEventSchema,
  StreamEvent: streamEventSchema,
};

const JSON_NAME = "Json";
const REFERENCE = "#/components/schemas/";

export function openApiDocument(version: string): Node {
  const schemas = componentSchemas();
  const paths: Record<string, Record<string, Node>> = {};
  const add = (call: Call | PlainCall, name: string, operation: Node): void => {
    const path = call.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: { operationId: name, ...operation } };
  };
  for (const [name, call] of Object.entries<Call>(API)) add(call, name, apiOperation(name, call));
  for (const [name, call] of Object.entries<PlainCall>(PLAIN_CALLS)) add(call, name, plainOperation(call));
  return {
    openapi: "3.1.0",
    info: { title: "Signalbox", version, description: "Run many coding agents at once." },
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      schemas,
      responses: {
        Problem: {
          description: "Why not, as an RFC 9457 problem document",
          content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: `${REFERENCE}Problem` } } },
        },
      },
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: COOKIE_NAME },
      },
    },
  };
}

function apiOperation(name: string, call: Call): Node {
  const answer = call.response ? content("application/json", `${name}Response`) : {};
  return {
    summary: call.summary,
    parameters: parametersOf(call),
    ...(call.body ? { requestBody: content("application/json", `${name}Body`) } : {}),
    responses: { [call.status]: { description: call.summary, ...answer }, ...REFUSED },
  };
}

function plainOperation(call: PlainCall): Node {
  const schema = call.response === healthSchema ? { $ref: `${REFERENCE}Health` } : {};
  const answer = call.mediaType === null ? {} : { content: { [call.mediaType]: { schema } } };
  return {
    summary: call.summary,
    parameters: [...parametersOf(call), ...(call === PLAIN_CALLS.events ? [LAST_EVENT_ID] : [])],
    ...(call.access === null ? { security: [] } : {}),
    responses: { [call.status]: { description: call.summary, ...answer }, ...REFUSED },
  };
}

const REFUSED = { default: { $ref: "#/components/responses/Problem" } };

const LAST_EVENT_ID = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description: "The position to go on after",
  schema: { type: "integer", minimum: 0 },
};

function content(mediaType: string, schemaName: string): Node {
  return { content: { [mediaType]: { schema: { $ref: REFERENCE + schemaName } } } };
}

function parametersOf(call: Call | PlainCall): readonly Node[] {
  const inPath = [...call.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  if (!call.query) return inPath;
  // As numbers and texts, not as the texts they are read from.
  const { properties = {}, required = [] } = z.toJSONSchema(call.query, { io: "output" });
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
  return [...inPath, ...inQuery];
}

function componentSchemas(): Node {
  const registry = z.registry<{ id: string }>();
  const named = new Map(Object.entries(NAMED).map(([id, schema]) => [schema, id]));
  for (const [schema, id] of named) registry.add(schema, { id });
  const aliases: Record<string, Node> = {};
  const add = (schema: z.ZodType | null | undefined, id: string): void => {
    if (!schema) return;
    const known = named.get(schema);
    if (known !== undefined) aliases[id] = { $ref: REFERENCE + known };
    else {
      named.set(schema, id);
      registry.add(schema, { id });
    }
  };
  for (const [name, call] of Object.entries<Call>(API)) {
    add(call.body, `${name}Body`);
    add(call.response, `${name}Response`);
  }
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => REFERENCE + id,
    unrepresentable: "any",
    io: "input",
  });
  return { ...tidy(schemas), ...aliases, [JSON_NAME]: { description: "Any JSON value" } };
}

/** References to what zod shares between schemas, which is nothing but "any JSON". */
const SHARED = `${REFERENCE}__shared#/$defs/`;

function tidy(schemas: Readonly<Record<string, unknown>>): Node {
  const { __shared: shared, ...own } = schemas;
  const shapes = Object.values((shared as { $defs?: Node } | undefined)?.$defs ?? {}).map((shape) =>
    JSON.stringify(shape).replaceAll(/"#[^"]*"/g, '"#"'),
  );
  if (new Set(shapes).size > 1) throw new Error("schemas share more than JSON values: give them names");
  return JSON.parse(JSON.stringify(own), (key, value: unknown) => {
    if (key === "$ref" && typeof value === "string" && value.startsWith(SHARED)) return REFERENCE + JSON_NAME;
    return key === "$schema" || key === "$id" ? undefined : value;
  }) as Node;
}
