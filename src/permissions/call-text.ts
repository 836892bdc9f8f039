/** A call as a person writes it to ask what the rules say of it: `Shell(git status && rm x)`. */
import { CATEGORIES, type Access, type Category } from "../core/index.js";

export type ParsedCall =
  { readonly ok: true; readonly access: Access } | { readonly ok: false; readonly message: string };

const EXAMPLE =
  "Shell(git status), Read(src/a.ts), Write(src/a.ts), Mcp(server/tool), Web(example.org) or Tool(name)";

/** A command may hold parentheses and lines of its own: all between the first parenthesis and the last one is taken. */
export function parseCall(text: string): ParsedCall {
  const call = text.trim();
  const open = call.indexOf("(");
  const name = call.slice(0, Math.max(0, open)).trim();
  const category = CATEGORIES.find((known) => known === name);
  if (!category) return flaw(`${JSON.stringify(call.slice(0, 100))} is no call: expected ${EXAMPLE}`);
  if (!call.endsWith(")")) return flaw(`the call ${category}(… does not end with a parenthesis`);
  const argument = call.slice(open + 1, -1);
  if (argument.trim() === "") return flaw(`the call ${category}() says nothing: expected ${EXAMPLE}`);
  if (argument.includes("\0")) return flaw("the call has a zero byte");
  return accessOf(category, argument);
}

function accessOf(category: Category, argument: string): ParsedCall {
  switch (category) {
    case "Read":
    case "Write":
      return { ok: true, access: { category, path: argument } };
    case "Shell":
      return { ok: true, access: { category, command: argument, shell: "bash" } };
    case "Mcp": {
      // As in rules, the last slash parts them: no tool has one in its name.
      const slash = argument.lastIndexOf("/");
      const server = argument.slice(0, Math.max(0, slash));
      const tool = argument.slice(slash + 1);
      if (server === "" || tool === "") return flaw("expected a server and a tool: Mcp(github/get_issue)");
      return { ok: true, access: { category, server, tool } };
    }
    case "Web": {
      const host = hostOf(argument.trim());
      return host === null
        ? flaw("expected a host or an address: Web(example.org) or Web(https://example.org/a)")
        : { ok: true, access: { category, host } };
    }
    case "Tool":
      return { ok: true, access: { category, name: argument } };
  }
}

function hostOf(text: string): string | null {
  try {
    const { hostname } = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    return hostname === "" ? null : hostname;
  } catch {
    // Not an address: the caller says so.
    return null;
  }
}

function flaw(message: string): ParsedCall {
  return { ok: false, message };
}
