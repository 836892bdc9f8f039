import { describe, expect, test } from "vitest";
import type { ProxyPolicy } from "../protocol/proxy-format.js";
import { isLocal, specialKind } from "./address.js";
import { judge, parseTarget } from "./policy.js";

const POLICY: ProxyPolicy = {
  hosts: [
    "api.example.com",
    "*.example.org",
    "git.example.net:22",
    "any.example.net:*",
    "a*z.test",
    "[2001:4860::8]:443",
  ],
  denied: ["bad.example.org:*", "*.evil.test:*"],
  services: ["127.0.0.1:5432", "db.internal:5432"],
  unknown: "ask",
};

function verdict(authority: string, policy = POLICY): string {
  const target = parseTarget(authority, null);
  return target ? judge(policy, target) : "nothing";
}

describe("what is reached by name", () => {
  test.each([
    ["api.example.com:443", "allowed"],
    ["API.Example.COM.:443", "allowed"],
    ["api.example.com:80", "allowed"],
    ["api.example.com:8443", "unknown"],
    ["x.api.example.com:443", "unknown"],
    ["apiXexample.com:443", "unknown"],
    ["a.example.org:443", "allowed"],
    ["a.b.example.org:443", "allowed"],
    ["example.org:443", "unknown"],
    ["notexample.org:443", "unknown"],
    ["bad.example.org:443", "denied"],
    ["x.evil.test:1", "denied"],
    ["git.example.net:22", "allowed"],
    ["git.example.net:443", "unknown"],
    ["any.example.net:9", "allowed"],
    ["abcz.test:443", "allowed"],
    ["az.test:443", "allowed"],
    ["abc.test:443", "unknown"],
    ["[2001:4860:0:0:0:0:0:8]:443", "allowed"],
    ["127.0.0.1:5432", "allowed"],
    ["2130706433:5432", "allowed"],
    ["127.0.0.1:5433", "unknown"],
    ["db.internal:5432", "allowed"],
  ])("%s: %s", (authority, expected) => expect(verdict(authority)).toBe(expected));

  test.each([
    "",
    "host",
    "host:0",
    "host:65536",
    "host:1:2",
    "a b:80",
    "u@host:80",
    "host\0:80",
    "-x:80",
    `${"a".repeat(300)}:80`,
    "[::1:80",
    "http://h:80",
  ])("%j is no target", (authority) => expect(verdict(authority)).toBe("nothing"));

  test("who is named counts over a wide deny; a star does not", () => {
    const policy = { ...POLICY, hosts: ["model.example.com", "*.example.com"], denied: ["*:*"] };
    expect(verdict("model.example.com:443", policy)).toBe("allowed");
    expect(verdict("other.example.com:443", policy)).toBe("denied");
  });
});

describe("addresses that are not the Internet", () => {
  test.each([
    ...["127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1"],
    ...["169.254.169.254", "169.254.1.1", "fe80::1", "fe80::1%eth0", "fd00::1", "fd00:ec2::254", "fc00::1"],
    ...["10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.100.100.200"],
    ...["168.63.129.16", "224.0.0.1", "255.255.255.255", "240.0.0.1", "ff02::1", "198.18.0.1", "192.0.2.1"],
    ...["64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "::127.0.0.1", "2001:db8::1", "::ffff:10.0.0.1"],
    ...["not an address", ""],
  ])("%s", (address) => expect(specialKind(address)).not.toBeNull());

  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "172.32.0.1",
    "172.15.0.1",
    "11.0.0.1",
    "2606:4700::1111",
    "::ffff:1.1.1.1",
  ])("%s is", (address) => expect(specialKind(address)).toBeNull());

  test("what is on this machine", () => {
    expect(["127.0.0.1", "::1", "0.0.0.0", "::ffff:127.0.0.1"].every(isLocal)).toBe(true);
    expect(["8.8.8.8", "10.255.255.254", "x"].some(isLocal)).toBe(false);
  });
});
