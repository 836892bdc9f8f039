import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.js";

const NAMES = ["session", "turn", "roster"];

test("finds what was probably meant", () => {
  expect(nearestName("sesion", NAMES)).toBe("session");
  expect(nearestName("sessions", NAMES)).toBe("session");
  expect(nearestName("rooster", NAMES)).toBe("roster");
  expect(nearestName("tun", NAMES)).toBe("turn");
});

test("guesses nothing when nothing is close", () => {
  expect(nearestName("keeper", NAMES)).toBeNull();
  expect(nearestName("", NAMES)).toBeNull();
});
