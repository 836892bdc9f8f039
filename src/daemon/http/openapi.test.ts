import { expect, test } from "vitest";
import { API, type Call } from "../../protocol/api.js";
import { openApiDocument } from "./openapi.js";
import { PLAIN_CALLS, type PlainCall } from "../../protocol/plain-calls.js";
import { call, openServer } from "./test-server.test.js";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: unknown;
  readonly security?: readonly unknown[];
  readonly responses: Readonly<Record<string, { readonly content?: unknown; readonly $ref?: string }>>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const document = openApiDocument("1.2.3") as unknown as Document;
const CALLS: readonly (readonly [string, Call | PlainCall])[] = [
  ...Object.entries(API),
  ...Object.entries(PLAIN_CALLS),
];

function operationFor({ path, method }: Call | PlainCall): Operation | undefined {
  return document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
}

/** Every object in a tree of JSON. */
function* objectsIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Readonly<Record<string, unknown>>;
  for (const part of Object.values(value)) yield* objectsIn(part);
}

test("every route is in it, and nothing else", () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  expect(operations.map((operation) => operation.operationId).toSorted()).toEqual(
    CALLS.map(([name]) => name).toSorted(),
  );
  for (const [name, each] of CALLS) expect(operationFor(each)?.operationId).toBe(name);
});

test("every parameter of a path and of a query is declared, with its type", () => {
  for (const [name, each] of CALLS) {
    const declared = operationFor(each)?.parameters ?? [];
    const inPath = [...each.path.matchAll(/:(\w+)/g)].map(([, param]) => param);
    expect([name, declared.filter((param) => param.in === "path").map((param) => param.name)]).toEqual([
      name,
      inPath,
    ]);
    const inQuery = declared.filter((param) => param.in === "query");
    expect([name, inQuery.map((param) => param.name)]).toEqual([name, Object.keys(each.query?.shape ?? {})]);
    for (const param of declared)
      expect([name, param.name, typeof param.schema["type"]]).toEqual([name, param.name, "string"]);
  }
  expect(operationFor(API.listEvents)?.parameters.slice(1)).toMatchObject([
    { name: "after", required: false, schema: { type: "integer", minimum: 0 } },
    { name: "limit", required: false, schema: { type: "integer", minimum: 1, maximum: 1_000 } },
    { name: "kind", required: false, schema: { type: "string" } },
    { name: "order", required: false, schema: { type: "string" } },
  ]);
});

test("every reference leads somewhere", () => {
  const references = [...objectsIn(document)].flatMap((each) => ("$ref" in each ? [each["$ref"]] : []));
  expect(references.length).toBeGreaterThan(50);
  for (const reference of references) {
    const path = String(reference).replace(/^#\//, "").split("/");
    const found = path.reduce<unknown>(
      (node, key) => (node as Record<string, unknown> | undefined)?.[key],
      document,
    );
    expect([reference, typeof found]).toEqual([reference, "object"]);
  }
});

test("every operation has its answer, its body and its problems", () => {
  for (const [name, each] of CALLS) {
    const operation = operationFor(each);
    const answer = operation?.responses[each.status];
    expect([name, answer !== undefined]).toEqual([name, true]);
    expect([name, operation?.responses["default"]]).toEqual([
      name,
      { $ref: "#/components/responses/Problem" },
    ]);
    expect([name, operation?.requestBody !== undefined]).toEqual([name, "body" in each]);
    const isPublic = each.access === null;
    expect([name, operation?.security]).toEqual([name, isPublic ? [] : undefined]);
  }
  expect(operationFor(PLAIN_CALLS.events)?.responses["200"]?.content).toHaveProperty(["text/event-stream"]);
});

test("bodies are as strict as the server, and answers leave room for more", () => {
  const { schemas } = document.components;
  expect(schemas["sendMessageBody"]).toEqual({
    type: "object",
    properties: {
      text: { type: "string", minLength: 1, maxLength: 500_000 },
      resend: { type: "string", minLength: 1, maxLength: 200 },
      force: { type: "boolean" },
      unlessAsked: { type: "boolean" },
      askId: { type: "string", minLength: 1, maxLength: 1_000 },
      clientId: { type: "string", minLength: 1, maxLength: 200 },
    },
    additionalProperties: false,
  });
  expect(schemas["createSessionResponse"]).toEqual({ $ref: "#/components/schemas/Session" });
  expect(schemas["Session"]).not.toHaveProperty("additionalProperties");
  expect([...objectsIn(schemas)].filter((each) => "$id" in each || "$defs" in each)).toEqual([]);
});

test("it is served as it is", async () => {
  const server = await openServer();
  const answer = await call(server, "GET", "/v1/openapi.json");
  expect(answer.headers["content-type"]).toBe("application/json");
  expect(JSON.parse(answer.text)).toEqual(JSON.parse(JSON.stringify(document)));
});
