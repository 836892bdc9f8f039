/** What an ask of the legacy Kilo CLI is about. */
import type { Json } from "../../core/index.js";
import { asObject, firstTextAt, listAt, textAt, type JsonObject } from "../acp/json-fields.js";
import { cut } from "../cut.js";
import { titleLine } from "../title-line.js";

const TITLE_LENGTH_MAX = 500;
const DETAIL_LENGTH_MAX = 20_000;

export interface KiloAsk {
  readonly title: string;
  readonly detail: string;
  readonly tool: KiloTool;
}

/** A type, not an interface: it is JSON as it stands. */
type KiloTool = {
  readonly name: string;
  readonly input: Json;
  readonly kind?: string;
  readonly paths?: readonly string[];
};

/** A text stands in `content`; one that is JSON stands, read, in `metadata` instead. */
export function contentOf(message: JsonObject): string {
  return firstTextAt(message, ["content", "text"]) ?? "";
}

export function metadataOf(message: JsonObject): JsonObject {
  return asObject(message["metadata"]);
}

export function describeAsk(ask: string, message: JsonObject): KiloAsk {
  const { title, detail, tool } = DESCRIBE[ask]?.(message) ?? describeOther(ask, message);
  return { title: titleLine(title, TITLE_LENGTH_MAX), detail: cut(detail, DETAIL_LENGTH_MAX), tool };
}

const DESCRIBE: Readonly<Record<string, (message: JsonObject) => KiloAsk>> = {
  tool: describeTool,
  command: (message) => {
    const command = firstTextAt(metadataOf(message), ["command"]) ?? contentOf(message);
    return {
      title: command,
      detail: command,
      tool: { name: "command", kind: "execute", input: { command } },
    };
  },
  use_mcp_server: describeServer,
  followup: (message) => {
    const metadata = metadataOf(message);
    const question = firstTextAt(metadata, ["question"]) ?? contentOf(message);
    const suggested = listAt(metadata, "suggest").map((one, index) => {
      const answer = typeof one === "string" ? one : textAt(asObject(one), "answer");
      return `  ${index + 1}. ${answer ?? ""}`;
    });
    const detail = [question, ...suggested].join("\n");
    return { title: question, detail, tool: { name: "followup", input: question } };
  },
};

/** As the rules know tools by what they do. */
const KINDS: Readonly<Record<string, string>> = {
  readFile: "read",
  fetchInstructions: "read",
  listFilesTopLevel: "search",
  listFilesRecursive: "search",
  listCodeDefinitionNames: "search",
  searchFiles: "search",
  codebaseSearch: "search",
  editedExistingFile: "edit",
  appliedDiff: "edit",
  newFileCreated: "edit",
  insertContent: "edit",
  searchAndReplace: "edit",
};

function describeTool(message: JsonObject): KiloAsk {
  const metadata = metadataOf(message);
  const name = firstTextAt(metadata, ["tool"]) ?? "tool";
  const path = firstTextAt(metadata, ["path"]);
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  const shown = firstTextAt(metadata, ["diff", "content"]) ?? contentOf(message);
  return {
    title: path === null ? name : `${name} ${path}`,
    detail: shown === "" ? JSON.stringify(metadata, null, 2) : shown,
    tool: {
      name,
      input: metadata,
      ...(kind === undefined ? {} : { kind }),
      ...(path === null ? {} : { paths: [path] }),
    },
  };
}

function describeServer(message: JsonObject): KiloAsk {
  const metadata = metadataOf(message);
  const server = firstTextAt(metadata, ["serverName"]) ?? "";
  const called = firstTextAt(metadata, ["toolName", "uri"]) ?? "";
  const input = metadata["arguments"] ?? null;
  return {
    title: `${called} (${server})`,
    detail: JSON.stringify(metadata, null, 2),
    tool: { name: `mcp__${server}__${called}`, input },
  };
}

function describeOther(ask: string, message: JsonObject): KiloAsk {
  const content = contentOf(message);
  return { title: ask, detail: content, tool: { name: ask, input: content } };
}
