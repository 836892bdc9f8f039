import { resolve } from "node:path";
import { expect, test } from "vitest";
import { dataFolder } from "./data-folder.js";

test.each([
  ["the option wins", "x", { SIGNALBOX_DATA_DIR: "/a", XDG_STATE_HOME: "/b" }, resolve("x")],
  ["then the variable", undefined, { SIGNALBOX_DATA_DIR: "/a", XDG_STATE_HOME: "/b" }, "/a"],
  ["then the state folder", undefined, { SIGNALBOX_DATA_DIR: "", XDG_STATE_HOME: "/b" }, "/b/signalbox"],
  ["else at home", undefined, { HOME: "/h", XDG_STATE_HOME: "" }, "/h/.local/state/signalbox"],
  ["nowhere below this folder", undefined, { HOME: "/h", XDG_STATE_HOME: "x" }, "/h/.local/state/signalbox"],
])("%s", (_name, option, env, folder) => {
  expect(dataFolder(option, env)).toBe(folder);
});
