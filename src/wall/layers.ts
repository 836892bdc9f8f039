/** What is mounted over what. The deeper path is mounted later, and so it wins. */
import type { WallEntry } from "../protocol/wall.js";

export interface Layer {
  readonly kind: "scratch" | "writable" | "readOnly" | "hidden" | "copied" | "socket";
  /** Inside. */
  readonly path: string;
  /** On this machine; the same as `path` for what is nowhere. */
  readonly from: string;
  readonly type: WallEntry["type"];
  readonly why: string;
  /** The rule that asks for it, as it is written. */
  readonly rule?: string;
}

/** Whether a path is the folder or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

export function isBelow(path: string, folder: string): boolean {
  return path !== folder && isWithin(path, folder);
}

export function depthOf(path: string): number {
  return path.split("/").filter((name) => name !== "").length;
}

export function byDepth(one: { readonly path: string }, other: { readonly path: string }): number {
  return depthOf(one.path) - depthOf(other.path) || byText(one.path, other.path);
}

export function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The layer that a path is in; undefined: the system itself, read-only. */
export function coveringLayer(layers: readonly Layer[], path: string): Layer | undefined {
  let found: Layer | undefined;
  for (const layer of layers)
    if (isWithin(path, layer.path) && (!found || layer.path.length >= found.path.length)) found = layer;
  return found;
}

/** The layer below a layer's own mount. */
export function layerBelow(layers: readonly Layer[], { path }: { readonly path: string }): Layer | undefined {
  return coveringLayer(
    layers.filter((layer) => layer.path !== path),
    path,
  );
}

/** What a path inside is on this machine; null: nothing of this machine. */
export function hostPath(layers: readonly Layer[], path: string): string | null {
  const layer = coveringLayer(layers, path);
  if (!layer) return path;
  if (layer.kind !== "writable" && layer.kind !== "readOnly") return null;
  return layer.from + path.slice(layer.path.length);
}

/** Under which names a path of this machine can be seen. */
export function namesInside(layers: readonly Layer[], path: string): readonly string[] {
  const candidates = [
    path,
    ...layers
      .filter(({ from }) => isWithin(path, from))
      .map((layer) => layer.path + path.slice(layer.from.length)),
  ];
  return [...new Set(candidates)].filter((name) => hostPath(layers, name) === path);
}
