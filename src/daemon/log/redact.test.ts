import { expect, test } from "vitest";
import { createRedact, isSecretName } from "./redact.js";

const redact = createRedact({});

// Put together here, so that no scanner takes this file for a leak.
const made = (prefix: string, body: string): string => `${prefix}${body}`;
const JWT = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0In0", "dBjftJeZ4CVPmB92K27uhbU"].join(".");

test.each([
  [`key ${made("sk-", "ant-api03-abcdefghijkl")} end`, "key [redacted] end"],
  [made("sk_live_", "abcdefghijklmn"), "[redacted]"],
  [`push with ${made("ghp_", "abcdefghijklmnopqrst")}.`, "push with [redacted]."],
  [made("github_pat_", "11ABCDEFG0abcdefghij"), "[redacted]"],
  [made("glpat-", "abcdefghijklmnopqrst"), "[redacted]"],
  [made("AKIA", "ABCDEFGHIJKLMNOP"), "[redacted]"],
  [made("AIza", "SyA1234567890abcdefghijklmnopqrstuv"), "[redacted]"],
  [made("xoxb-", "123456789012-abcdef"), "[redacted]"],
  ["Authorization: Bearer abcdef.123456", "Authorization: Bearer [redacted]"],
  [`jwt ${JWT}`, "jwt [redacted]"],
  ["postgres://ann:s3cret@db/x", "postgres://[redacted]@db/x"],
  ["password=hunter2&user=ann", "password=[redacted]&user=ann"],
  ['{"password": "a b", "user": "ann"}', '{"password": [redacted], "user": "ann"}'],
  ["PGPASSWORD=hunter2 psql", "PGPASSWORD=[redacted] psql"],
  ["API_KEY=abc cmd", "API_KEY=[redacted] cmd"],
  ['"api_key":"abc"', '"api_key":[redacted]'],
  [made("-----BEGIN RSA ", "PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- after"), "[redacted] after"],
  [made("-----BEGIN ", "PRIVATE KEY-----\nhalf of one"), "[redacted]"],
])("%s", (text, expected) => {
  expect(redact(text)).toBe(expected);
});

test.each([
  "token: expected a string, got a number",
  "the password was wrong",
  "sk-1",
  "https://example.com/path?x=1",
  "the key is under the mat",
  "bypass: yes, and compass: north",
  "a risk-averse, task-based approach to ask-anything",
])("%s says nothing secret", (text) => {
  expect(redact(text)).toBe(text);
});

test("values of secret variables are found wherever they stand, the longest first", () => {
  const own = createRedact({
    MY_TOKEN: "abcd1234",
    DEPLOY_KEY: "abcd1234+more(",
    SHORT_SECRET: "abc",
    HOME: "/home-of-somebody",
    UNSET_TOKEN: undefined,
  });
  expect(own("a abcd1234+more( b abcd1234 c abc d /home-of-somebody")).toBe(
    "a [redacted] b [redacted] c abc d /home-of-somebody",
  );
});

test("the longest first also when they are of two environments", () => {
  const own = createRedact({ MY_TOKEN: "abcd1234" }, { MY_TOKEN: "abcd1234+more" });
  expect(own("a abcd1234+more b abcd1234")).toBe("a [redacted] b [redacted]");
});

test("names of secrets", () => {
  const names = [
    "GITHUB_TOKEN",
    "api_key",
    "secretAccessKey",
    "db_password",
    "PATH",
    "KEYBOARD",
    "monkey_business",
  ];
  expect(names.filter(isSecretName)).toEqual(["GITHUB_TOKEN", "api_key", "secretAccessKey", "db_password"]);
});

test("a long text takes no longer than its length asks for", () => {
  const hostile = [
    "Bearer ".repeat(20_000),
    "://a:".repeat(20_000),
    "eyJ".repeat(30_000),
    "-".repeat(100_000),
  ];
  for (const text of hostile) expect(redact(text).length).toBeGreaterThan(0);
});
