import { describe, expect, test } from "bun:test";
import { BlockList } from "node:net";
import fc from "fast-check";
import { parseIpAddress, parseIpNetwork } from "../../src/ip-networks/ip-network.ts";
import {
  type AddressPolicy,
  webhookAddressRefusal,
  webhookUrlRefusal,
} from "../../src/webhooks/webhook-address-policy.ts";

const permissive: AddressPolicy = { allow: [], deny: [] };

const policy = (allow: string[], deny: string[] = []) => ({
  allow: allow.map(parseIpNetwork),
  deny: deny.map(parseIpNetwork),
});
const hex = (a: number, b: number) => ((a << 8) | b).toString(16);

describe("webhookUrlRefusal", () => {
  test("refuses a URL whose numeric host is always refused, and no other", () => {
    for (const host of [
      "2852039166",
      "[fe80::1]",
      "[::ffff:169.254.1.1]",
      "[::]",
      "224.0.0.1",
      "[fd00:ec2::254]",
    ])
      expect(webhookUrlRefusal(`https://${host}:8443/hooks`)).toEndWith("which is always refused");
    for (const host of ["receiver.example", "localhost", "127.0.0.1", "[::1]", "10.0.0.1", "8.8.8.8"])
      expect(webhookUrlRefusal(`https://${host}/`)).toBeUndefined();
  });
});

describe("webhookAddressRefusal", () => {
  test.each([
    "127.0.0.1",
    "::1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "fd12::1",
    "8.8.8.8",
    "2606:4700:4700::1111",
    "::ffff:10.0.0.1",
    "64:ff9b::808:808",
  ])("permits %s", (address) => {
    expect(webhookAddressRefusal(address, permissive)).toBeUndefined();
  });

  test.each([
    ["169.254.169.254", "a cloud metadata address"],
    ["100.100.100.200", "a cloud metadata address"],
    ["fd00:ec2::254", "a cloud metadata address"],
    ["fd00:0ec2:0:0::254", "a cloud metadata address"],
    ["169.254.0.1", "a link-local address"],
    ["fe80::1", "a link-local address"],
    ["febf::1%eth0", "a link-local address"],
    ["0.0.0.0", "an unspecified address"],
    ["0.1.2.3", "an unspecified address"],
    ["::", "an unspecified address"],
    ["224.0.0.1", "a multicast address"],
    ["ff02::1", "a multicast address"],
    ["255.255.255.255", "the broadcast address"],
    ["::ffff:0.0.0.0", "an unspecified address"],
    ["fe80::5efe:10.0.0.1", "a link-local address"],
    ["2001:db8::5efe:169.254.1.1", "a link-local address"],
    ["2001:0:a9fe:a9fe::1", "a cloud metadata address"],
    ["2001::5601:5601", "a cloud metadata address"],
  ])("refuses %s as %s, whatever the lists contain", (address, kind) => {
    expect(webhookAddressRefusal(address, policy(["0.0.0.0/0", "::/0"]))).toContain(`is ${kind}`);
  });

  test("refuses 169.254.0.0/16 in every form that a gateway converts to IPv4", () => {
    fc.assert(
      fc.property(fc.nat(255), fc.nat(255), (c, d) => {
        const [high, low] = ["a9fe", hex(c, d)];
        for (const address of [
          `169.254.${c}.${d}`,
          `::ffff:169.254.${c}.${d}`,
          `::ffff:${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `64:ff9b:1::${high}:${low}`,
          `64:ff9b:1:${high}:${c.toString(16)}:${(d << 8).toString(16)}::`,
          `2002:${high}:${low}::1`,
          `::${high}:${low}`,
          `::ffff:0:${high}:${low}`,
        ]) {
          expect(webhookAddressRefusal(address, permissive)).toBeString();
        }
      }),
    );
  });

  test("refuses an address in a denied network, even if an allowed one contains it", () => {
    const lists = policy(["10.0.0.0/8"], ["10.9.0.0/16"]);
    expect(webhookAddressRefusal("10.8.0.1", lists)).toBeUndefined();
    expect(webhookAddressRefusal("10.9.0.1", lists)).toBe("10.9.0.1 is in the denied network 10.9.0.0/16");
    expect(webhookAddressRefusal("64:ff9b::a09:1", policy([], ["10.9.0.0/16"]))).toContain("denied network");
  });

  test("requires an address in an allowed network if there is one", () => {
    const lists = policy(["10.0.0.0/8", "fd00::/8"]);
    expect(webhookAddressRefusal("11.0.0.1", lists)).toBe("11.0.0.1 is not in an allowed network");
    expect(webhookAddressRefusal("fd12::1", lists)).toBeUndefined();
    expect(webhookAddressRefusal("::ffff:10.0.0.1", lists)).toBeUndefined();
  });

  test("refuses text that is not a numeric address", () => {
    for (const text of ["", "localhost", "127.1", "2130706433", "0x7f000001"]) {
      expect(webhookAddressRefusal(text, permissive)).toContain("is not an IP address");
    }
  });

  test("agrees with net.BlockList for any network and address", () => {
    const family = fc.constantFrom(4, 16);
    fc.assert(
      fc.property(
        family.chain((size) =>
          fc.record({
            network: fc.uint8Array({ minLength: size, maxLength: size }),
            flips: fc.uint8Array({ minLength: size, maxLength: size }),
            prefix: fc.integer({ min: 0, max: size * 8 }),
            keep: fc.integer({ min: 0, max: size }),
          }),
        ),
        ({ network, flips, prefix, keep }) => {
          const address = network.map((byte, i) => (i < keep ? byte : byte ^ flips[i]!));
          const first = network.map(
            (byte, i) => byte & ((0xff << (8 - Math.max(0, Math.min(8, prefix - i * 8)))) & 0xff),
          );
          const kind = network.length === 4 ? "ipv4" : "ipv6";
          // BlockList does not treat IPv4 mapped into IPv6 as IPv4.
          fc.pre(kind === "ipv4" || first.slice(0, 10).some((byte) => byte !== 0));
          const list = new BlockList();
          list.addSubnet(text(first), prefix, kind);
          const denied = webhookAddressRefusal(text(address), policy([], [`${text(first)}/${prefix}`]));
          const isDenied = denied?.includes("denied network") ?? false;
          const isAlwaysRefused = denied?.includes("always refused") ?? false;
          fc.pre(!isAlwaysRefused && parseIpAddress(text(address))!.kind() === kind);
          fc.pre(!text(address).startsWith("2002:") && !text(address).startsWith("2001:0:"));
          expect(isDenied).toBe(list.check(text(address), kind));
        },
      ),
      { numRuns: 500 },
    );
  });
});

function text(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  return Array.from({ length: 8 }, (_, i) => hex(bytes[2 * i]!, bytes[2 * i + 1]!)).join(":");
}
