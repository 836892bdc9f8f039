import { spawn } from "node:child_process";

/** Asks the desktop to open a link. Resolves false when there is no desktop to ask. */
export function openInBrowser(url: string): Promise<boolean> {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  return new Promise((resolve) => {
    const child = spawn(program, [url], { detached: true, stdio: "ignore" });
    child.once("error", () => resolve(false));
    child.once("spawn", () => resolve(true));
    child.unref();
  });
}
