import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readTls } from "./tls-files.js";

const folder = mkdtempSync(join(tmpdir(), "signalbox-tls-files-"));
const file = (name: string): string => join(folder, name);

beforeAll(() => {
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  for (const name of ["one", "two"])
    execFileSync("openssl", [...made, "-keyout", file(`${name}.key`), "-out", file(`${name}.cert`)], {
      stdio: "ignore",
    });
  writeFileSync(file("text"), "neither of them\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a certificate and its key are read", async () => {
  expect(await readTls({ certFile: file("one.cert"), keyFile: file("one.key") })).toEqual({
    cert: expect.stringContaining("BEGIN CERTIFICATE") as string,
    key: expect.stringContaining("PRIVATE KEY") as string,
  });
});

test.each([
  ["none", "one.key", `there is no file ${file("none")}`],
  ["text", "one.key", `${file("text")} holds no certificate in PEM`],
  ["one.cert", "text", `${file("text")} holds no private key in PEM without a passphrase`],
  [
    "one.cert",
    "two.key",
    `the key in ${file("two.key")} is not that of the certificate in ${file("one.cert")}`,
  ],
])("%s with %s is refused, and the file is named", async (cert, key, sentence) => {
  await expect(readTls({ certFile: file(cert), keyFile: file(key) })).rejects.toThrow(new Error(sentence));
});
