/** A phone is signed in, listed and signed out. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "./test-daemon.js";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await TestDaemon.start({ args: ["--allowed-host", "devbox.example.org"] });
});
afterAll(() => daemon.end());

const run = (...args: readonly string[]) => runSignalbox([...args, "--data-dir", daemon.dataDir]);

async function signIn(link: string): Promise<string> {
  const response = await fetch(link, {
    redirect: "manual",
    headers: { "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Safari/604.1" },
  });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

test("a phone gets a secret of its own, is listed, and is out at once when it is revoked", async () => {
  const { code, stdout } = await run("pair");
  expect(code).toBe(0);
  const link = stdout.split("\n").find((line) => line.startsWith("http")) ?? "";
  expect(stdout).toContain("▄");
  expect(stdout).toContain("ssh -L");
  expect(stdout).toContain("--behind-proxy");
  const cookie = await signIn(link);
  expect(cookie).toMatch(/^signalbox=.{20,}/);
  expect(await signIn(link)).toBe("");
  const ask = async () => (await fetch(`${daemon.ready.url}/v1/sessions`, { headers: { cookie } })).status;
  expect(await ask()).toBe(200);
  const listed = JSON.parse((await run("devices", "ls", "--json")).stdout) as { id: string; name: string }[];
  expect(listed.map(({ name }) => name)).toEqual(["Safari on iPhone"]);
  const id = listed[0]?.id ?? "";
  expect((await run("devices", "ls")).stdout).toMatch(
    new RegExp(
      `^DEVICE +SINCE +USED +ROLE +NAME\n${id.slice(0, 8)} +\\d+s +\\d+s +answer +Safari on iPhone\n$`,
    ),
  );
  expect(await run("devices", "revoke", "nothing")).toMatchObject({ code: 1, stdout: "" });
  expect((await run("devices", "revoke", id.slice(0, 6))).stdout).toBe(`revoked ${id} Safari on iPhone\n`);
  expect(await ask()).toBe(401);
  expect(JSON.parse((await run("devices", "ls", "--json")).stdout)).toEqual([]);
});

test("the link is for the address at which the phone reaches the daemon", async () => {
  const { stdout } = await run("pair", "--json", "--url", "https://devbox.example.org");
  expect((JSON.parse(stdout) as { url: string }).url).toMatch(
    /^https:\/\/devbox\.example\.org\/login\?code=/,
  );
  expect(await run("pair", "--url", "devbox")).toMatchObject({ code: 2, stdout: "" });
});
