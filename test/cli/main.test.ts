import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { helpOf } from "../../src/cli/command-help.js";
import { COMMANDS } from "../../src/cli/command-table.js";
import { EXIT } from "../../src/cli/exit-codes.js";
import { buildSignalbox, runSignalbox } from "./signalbox.js";

beforeAll(buildSignalbox);

test("--version prints the version of the package", async () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
  expect(await runSignalbox(["--version"])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

test.each([["--help"], ["-h"], ["help"]])("%s names every command", async (arg) => {
  const { code, stdout, stderr } = await runSignalbox([arg]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^Usage: signalbox <command>/);
  const named = [...stdout.matchAll(/^ {2}([a-z]+) +\S/gm)].map((match) => match[1]);
  expect(named).toEqual(Object.keys(COMMANDS));
  const exitCodes = [...stdout.matchAll(/^ {2}(\d+) +\S/gm)].map((match) => Number(match[1]));
  expect(exitCodes).toEqual([...new Set(Object.values(EXIT))]);
});

test.each(Object.entries(COMMANDS))("%s has help of its own", async (name, entry) => {
  const { help } = await entry.load();
  const usage = new RegExp(`^Usage: signalbox ${name}( |\n)`);
  expect(help).toMatch(usage);
  expect(help.endsWith("\n") && help.split("\n").every((line) => line.length <= 120)).toBe(true);
});

test.each([["machine"], ["tour"]])("%s --help is that command's", async (name) => {
  const { code, stdout, stderr } = await runSignalbox([name, "--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.startsWith(`Usage: signalbox ${name}`)).toBe(true);
});

test("help COMMAND is that command's", async () => {
  expect(await runSignalbox(["help", "tour"])).toEqual(await runSignalbox(["tour", "--help"]));
  expect((await runSignalbox(["help", "mashine"])).stderr).toContain("Did you mean machine?");
});

test.each(Object.entries(COMMANDS))("%s --help has one example", async (_name, entry) => {
  expect(helpOf(entry, await entry.load()).match(/^Example:/gm)).toHaveLength(1);
});

describe("a wrong command line prints nothing on stdout, one message and one hint on stderr, and exits with 2", () => {
  test.each([
    [[], "which command?", "See signalbox --help."],
    [["mashine"], 'unknown command "mashine"', "Did you mean machine? See signalbox --help."],
    [["--hlep"], 'unknown option "--hlep"', "Did you mean --help? See signalbox --help."],
    [["toString"], 'unknown command "toString"', "See signalbox --help."],
    [["machine"], "which machine?", "The machines are: "],
    [["machine", "sesion"], 'unknown machine "sesion"', "Did you mean session? The machines are: "],
    [["machine", "__proto__"], 'unknown machine "__proto__"', "The machines are: "],
    [["machine", "roster", "turn"], "one machine at a time, not also turn", "The machines are: "],
    [
      ["machine", "roster", "--tabel"],
      'unknown option "--tabel"',
      "Did you mean --table? See signalbox machine",
    ],
    [
      ["machine", "roster", "--initial"],
      "Option '--initial <value>' argument missing",
      "See signalbox machine",
    ],
    [
      ["machine", "roster", "--table", "--mermaid"],
      "--table and --mermaid exclude each other",
      "Ask for one",
    ],
    [["machine", "roster", "--initial", "{"], "--initial: not JSON: ", "It replaces fields"],
    [
      ["machine", "roster", "--initial", '{"seat":1}'],
      '--initial: the roster machine has no field "seat"',
      "It ",
    ],
    [
      ["machine", "roster", "--initial", '{"counter":"1"}'],
      "--initial: counter: expected a whole number",
      "It ",
    ],
  ])("%j", async (args, message, hint) => {
    const { code, stdout, stderr } = await runSignalbox(args);
    const [first, second, ...rest] = stderr.split("\n");
    expect({ code, stdout, rest }).toEqual({ code: 2, stdout: "", rest: [""] });
    expect(first?.startsWith(`signalbox: ${message}`), first).toBe(true);
    expect(second?.startsWith(hint), second).toBe(true);
  });
});

test("--debug, wherever it stands, says where it went wrong", async () => {
  const { code, stderr } = await runSignalbox(["machine", "sesion", "--debug"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^signalbox: UsageError: unknown machine "sesion"\n +at /);
});
