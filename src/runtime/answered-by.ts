import type { SessionEvent } from "../core/index.js";
import type { Principal } from "../protocol/principal.js";

const WALL: Principal = { kind: "wall", id: "wall", name: "the wall" };
const AUTO: Principal = { kind: "auto", id: "auto", name: "auto-approve" };

/** In whose name a fact answers what was asked; null: it answers nothing. What no rule decides only the wall or auto mode answers. */
export function answeredBy(event: SessionEvent): Principal | null {
  if (event.type === "wall_closed")
    return event.because === "rule" ? { kind: "rule", id: event.file ?? "", name: event.rule ?? "" } : null;
  if (event.type !== "permission_resolved") return null;
  const { verdict, rule, file } = event;
  switch (verdict) {
    case "allow":
    case "deny":
      return { kind: "rule", id: file ?? "", name: rule ?? "" };
    case "contained":
      return WALL;
    case "none":
      return AUTO;
    case "ask":
      return null;
  }
}

/** As a part of what is written down: left out where nobody is known. */
export function attributed(by: Principal | null | undefined): { readonly by?: Principal } {
  return by ? { by } : {};
}
