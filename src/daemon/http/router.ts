/** Finds what a request is for. */

export interface Routed {
  readonly method: string;
  /** With `:name` for each parameter. */
  readonly path: string;
}

export type Match<R> =
  | { readonly type: "found"; readonly route: R; readonly params: Readonly<Record<string, string>> }
  | { readonly type: "wrong_method"; readonly allow: string }
  /** A parameter is not well percent-encoded. */
  | { readonly type: "malformed" }
  | { readonly type: "unknown" };

/** One step of a path: what stands there by name, and what a parameter takes. */
interface Step<R> {
  readonly named: Map<string, Step<R>>;
  parameter: Step<R> | null;
  readonly routes: Map<string, Leaf<R>>;
}

interface Leaf<R> {
  readonly route: R;
  readonly parameterNames: readonly string[];
}

/** Throws when two routes are the same, because one of them could never be reached. */
export function createRouter<R extends Routed>(
  routes: readonly R[],
): (method: string, path: string) => Match<R> {
  const root = emptyStep<R>();
  for (const route of routes) addRoute(root, route);
  return (method, path) => {
    const values: string[] = [];
    const step = findStep(root, path.split("/").slice(1), values);
    if (!step) return { type: "unknown" };
    const leaf = step.routes.get(method);
    if (!leaf) return { type: "wrong_method", allow: [...step.routes.keys()].join(", ") };
    return bind(leaf, values);
  };
}

function emptyStep<R>(): Step<R> {
  return { named: new Map(), parameter: null, routes: new Map() };
}

function addRoute<R extends Routed>(root: Step<R>, route: R): void {
  const parameterNames: string[] = [];
  let step = root;
  for (const part of route.path.split("/").slice(1)) {
    if (part.startsWith(":")) {
      parameterNames.push(part.slice(1));
      step.parameter ??= emptyStep();
      step = step.parameter;
    } else {
      const next = step.named.get(part) ?? emptyStep<R>();
      step.named.set(part, next);
      step = next;
    }
  }
  if (step.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
  step.routes.set(route.method, { route, parameterNames });
}

/** A name goes before a parameter; an empty part is no parameter. */
function findStep<R>(root: Step<R>, parts: readonly string[], values: string[]): Step<R> | null {
  let step = root;
  for (const part of parts) {
    const named = step.named.get(part);
    if (named) {
      step = named;
      continue;
    }
    if (!step.parameter || part === "") return null;
    values.push(part);
    step = step.parameter;
  }
  return step.routes.size > 0 ? step : null;
}

function bind<R>({ route, parameterNames }: Leaf<R>, values: readonly string[]): Match<R> {
  const params: Record<string, string> = {};
  for (const [index, name] of parameterNames.entries()) {
    const value = decode(values[index] ?? "");
    if (value === null) return { type: "malformed" };
    params[name] = value;
  }
  return { type: "found", route, params };
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
