import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalHost } from "../../core/permissions/host-name.js";
import { resolveHost } from "../resolve/resolve-host.js";
import { fileOfAddress, hostOfAddress, hostsInText } from "./web-addresses.js";

type Row = readonly [text: string, hosts: readonly string[]];

describe("an address", () => {
  test.each<Row>([
    ["https://example.org", ["example.org"]],
    [" https://example.org/a?b#c\n", ["example.org"]],
    ["wss://EXAMPLE.org:8443", ["example.org"]],
    ["https://user:pass@example.org/", ["example.org"]],
    ["https://example.org/?next=https://evil.com", ["example.org"]],
    ["https://example.org)@evil.com", ["evil.com"]],
    ["https://example.org'@evil.com", ["evil.com"]],
    ['https://example.org"@evil.com', ["evil.com"]],
    ["https://example.org]@evil.com", ["evil.com"]],
    ["https://example.org}@evil.com", ["evil.com"]],
    ["https://example.org`@evil.com", ["evil.com"]],
    ["https://[::1]:80/", ["[::1]"]],
    ["https://[::ffff:7f00:1]/", ["[::ffff:7f00:1]"]],
    ["https://2130706433/", ["127.0.0.1"]],
    ["example.org", ["example.org"]],
    ["localhost:3000", ["localhost"]],
    ["::1", ["[::1]"]],
  ])("%j is for certain", (text, hosts) => {
    expect(hostOfAddress(text)).toEqual({ hosts, isCertain: true });
  });

  test.each<Row>([
    ["https:\\\\evil.com/https://example.org", ["evil.com", "example.org"]],
    ["https:evil.com/https://example.org", ["evil.com", "example.org"]],
    ["https://example.org\n.evil.com", ["example.org.evil.com", "example.org"]],
    ["https://example.org\\@evil.com", ["example.org"]],
    ["https://a@example.org@evil.com", ["evil.com"]],
    ["https://example.org/ https://evil.com", ["example.org", "evil.com"]],
    ["evil.com/https://example.org", ["evil.com", "example.org"]],
    ["evil.com:443/https://example.org", ["evil.com", "example.org"]],
    ["javascript:fetch('https://example.org')", ["example.org"]],
    ["data:text/html,https://example.org", ["example.org"]],
    ["file://example.org/etc/passwd", ["example.org"]],
    ["ftp://example.org/x", ["example.org"]],
    ["not an address", []],
  ])("%j may be another one", (text, hosts) => {
    expect(hostOfAddress(text)).toEqual({ hosts, isCertain: false });
  });

  test("may be one of a file", () => {
    expect(fileOfAddress("FILE:///etc/p%61sswd")).toBe("/etc/passwd");
    expect(fileOfAddress("file:///a/%zz%ff")).toBe("/a/%zz\ufffd");
    expect(fileOfAddress("https://example.org/etc")).toBeNull();
  });
});

describe("a text", () => {
  test.each<Row>([
    ["see https://a.example/x and http://b.example.", ["a.example", "b.example"]],
    ["[docs](https://a.example), <https://b.example>", ["a.example", "b.example"]],
    ['<a href="https://a.example">it</a>', ["a.example"]],
    ["https://[::1]. And (https://[::2]:80/).", ["[::1]", "[::2]"]],
    ["https://a.example)@evil.com", ["evil.com"]],
    ["https:\\\\evil.com/https://a.example", ["evil.com", "a.example"]],
    ["https:/evil.com/https://a.example", ["evil.com", "a.example"]],
    ["Use http: it is faster", []],
    ["nothing at all", []],
  ])("%j", (text, hosts) => {
    expect(hostsInText(text)).toEqual({ hosts, isCertain: true });
  });

  test.each<Row>([
    ["file:///etc/passwd and https://a.example", ["a.example"]],
    ["gopher://a.example", ["a.example"]],
    ["https://a<b https://%zz", ["a"]],
  ])("%j names what is none", (text, hosts) => {
    expect(hostsInText(text)).toEqual({ hosts, isCertain: false });
  });

  test.each(["a.a.a.", "a://", "https://a", "https://a@", "http:", "https://a.....", "[[", "https://["])(
    "that repeats %j is read at once",
    (piece) => {
      const text = piece.repeat(100_000 / piece.length);
      const startMs = performance.now();
      hostsInText(text);
      hostOfAddress(text);
      expect(performance.now() - startMs).toBeLessThan(2_000);
    },
  );
});

describe("one host has one name", () => {
  test.each([
    ["Example.ORG.", "example.org"],
    ["example.org..", "example.org"],
    ["ex%61mple.org", "example.org"],
    ["ｅｘａｍｐｌｅ。org", "example.org"],
    ["*.Internal.", "*.internal"],
    ["\uff0a.internal", ".internal"],
    ["127.0.0.1", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["0x7f000001", "127.0.0.1"],
    ["0177.0.0.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["256.0.0.1", "256.0.0.1"],
    ["1.2.3.4.5", "1.2.3.4.5"],
    ["[::1]", "::1"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["2001:DB8:0:0:1:0:0:0", "2001:db8:0:0:1::"],
    ["::", "::"],
    ["::ffff:7f00:1", "127.0.0.1"],
    ["[::ffff:127.0.0.1]", "127.0.0.1"],
    ["::1::2", "::1::2"],
    ["1:2:3", "1:2:3"],
  ])("%s", (text, expected) => {
    expect(normalHost(text)).toBe(expected);
  });

  test("which is that of a browser", () => {
    const ipv4 = fc.oneof(fc.ipV4(), fc.ipV4Extended());
    fc.assert(
      fc.property(fc.oneof(ipv4, fc.ipV6(), fc.domain()), (host) => {
        expect(resolveHost(host).host).toBe(normalHost(host));
      }),
      { numRuns: 2_000 },
    );
  });
});
