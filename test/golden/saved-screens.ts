/** The screens of real agents that are kept as tests, and what a person who watched says that they show. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { renderScreen } from "../../src/cli/render-screen.js";
import type { Screen } from "../../src/core/index.js";
import type { Shot } from "../screens/shots.js";

export interface SavedScreen extends Shot {
  /** Its folder and its name, without the ending. */
  readonly name: string;
  readonly folder: string;
  readonly screen: Screen;
}

/** All of them. Each folder has a `screens.json` beside the screens. */
export async function loadScreens(root: URL): Promise<readonly SavedScreen[]> {
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const loaded = await Promise.all(folders.map(({ name }) => loadFolder(root, name)));
  return loaded.flat();
}

async function loadFolder(root: URL, folder: string): Promise<readonly SavedScreen[]> {
  const manifest = new URL(`${folder}/screens.json`, root);
  if (!existsSync(manifest)) return [];
  const shots = JSON.parse(readFileSync(manifest, "utf8")) as readonly Shot[];
  const loaded: SavedScreen[] = [];
  for (const shot of shots) {
    const rendered = await renderScreen(readFileSync(new URL(`${folder}/${shot.file}`, root)), shot);
    const screen = shot.title === undefined ? rendered : { ...rendered, title: shot.title };
    loaded.push({ ...shot, folder, name: `${folder}/${shot.file.replace(/\.ansi$/, "")}`, screen });
  }
  return loaded;
}
