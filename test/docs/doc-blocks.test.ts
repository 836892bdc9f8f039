import { expect, test } from "vitest";
import { isAsShown, ShownIds, shownCommands } from "./doc-blocks.js";

test("commands, what goes on in further lines, and what comes of them", () => {
  const text = `$ signalbox ls
ID  STATUS
$ echo x |
    node -p 1
1
$ node - <<'END'
a
END
b
$ ls -la`;
  expect(shownCommands(text)).toEqual([
    { command: "signalbox ls", output: "ID  STATUS" },
    { command: "echo x |\n    node -p 1", output: "1" },
    { command: "node - <<'END'\na\nEND", output: "b\n$ ls -la" },
  ]);
});

test("what is printed is held against what is shown, but for ids, times and columns", () => {
  expect(isAsShown("4w4h08cw  completed  0s  Tidy", "z35jnr9m completed 40s Tidy\n")).toBe(true);
  expect(isAsShown("4w4h08cw  completed  0s  Tidy", "z35jnr9m streaming 40s Tidy\n")).toBe(false);
  expect(isAsShown("4w4h08cw  completed  0s  Tidy", "vbdmxsfg completed 40s Tidy\n")).toBe(true);
  expect(isAsShown("rejected 4w4h08cw", "streamed vbdmxsfg\n")).toBe(false);
  expect(isAsShown("rejected 4w4h08cw", "rejected vbdmxsfg\n")).toBe(true);
  expect(isAsShown("a\nb", "a\nb\nc\n")).toBe(false);
  expect(isAsShown("a\n…", "a\nb\nc\n")).toBe(true);
  expect(isAsShown("…\nb\n…", "a\nb\nc\n")).toBe(true);
  expect(isAsShown("…\nb\n…", "a\nc\n")).toBe(false);
  expect(isAsShown("in …/a.toml, line 1", "in /srv/x/a.toml, line 1\n")).toBe(true);
  expect(isAsShown("run 1 runs", "run 1 runs, process 7\n")).toBe(false);
});

test("an id of the document is the session that was shown in its place", () => {
  const ids = new ShownIds();
  ids.learn("tsz7nzcc07zm", "4w4h08cw3cxb\n");
  ids.learn("rejected in 0jj6qd3tqwer", "rejected in vbdmxsfgqwer\n");
  expect(ids.translate("signalbox show 0jj6")).toBe("signalbox show vbdmxsfgqwer");
  expect(ids.translate("signalbox logs tsz7 --json")).toBe("signalbox logs 4w4h08cw3cxb --json");
  expect(ids.translate("signalbox logs 9999")).toBe("signalbox logs 9999");
});
