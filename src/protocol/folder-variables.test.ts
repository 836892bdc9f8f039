import { expect, test } from "vitest";
import { baseFolder, homeFolder } from "./folder-variables.js";

const ofUser = (): string => "/users/u";

test.each([
  [{ HOME: "/h", XDG_CONFIG_HOME: "/c" }, "/h", "/c"],
  [{ HOME: "/h" }, "/h", "/h/.config"],
  [{ HOME: "/h", XDG_CONFIG_HOME: "" }, "/h", "/h/.config"],
  [{ HOME: "/h", XDG_CONFIG_HOME: "." }, "/h", "/h/.config"],
  [{ HOME: "", XDG_CONFIG_HOME: "a/b" }, "/users/u", "/users/u/.config"],
  [{ HOME: "h" }, "/users/u", "/users/u/.config"],
  [{}, "/users/u", "/users/u/.config"],
])("%j", (variables, home, config) => {
  expect(homeFolder(variables, ofUser)).toBe(home);
  expect(baseFolder(variables, "XDG_CONFIG_HOME", ofUser)).toBe(config);
});

test("the user's own home is only asked for where nothing names one", () => {
  const nobody = (): never => {
    throw new Error("no such user");
  };
  expect(baseFolder({ HOME: "/h" }, "XDG_STATE_HOME", nobody)).toBe("/h/.local/state");
  expect(() => baseFolder({}, "XDG_STATE_HOME", nobody)).toThrow("no such user");
});
