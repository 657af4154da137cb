import { describe, expect, test } from "bun:test";
import { OperatorError } from "../../src/domain/errors.ts";
import { isIpNetwork, parseIpNetwork } from "../../src/ip-networks/ip-network.ts";

describe("parseIpNetwork", () => {
  test("accepts a network, a single address, and IPv4 mapped into IPv6", () => {
    const network = parseIpNetwork(" 10.0.0.0/8");
    expect(network).toMatchObject({ text: "10.0.0.0/8", prefix: 8 });
    expect(network.first.toByteArray()).toEqual([10, 0, 0, 0]);
    expect(parseIpNetwork("192.168.1.7").prefix).toBe(32);
    expect(parseIpNetwork("fd00::/8").first.kind()).toBe("ipv6");
    const mapped = parseIpNetwork("::ffff:10.0.0.0/104");
    expect(mapped.prefix).toBe(8);
    expect(mapped.first.toByteArray()).toEqual([10, 0, 0, 0]);
    expect(isIpNetwork("10.0.0.0/8")).toBe(true);
  });

  test.each([
    ["10.0.0.0/33", '"10.0.0.0/33" has an invalid prefix length', "Write 0 to 32 after the slash."],
    ["fd00::/129", '"fd00::/129" has an invalid prefix length', "Write 0 to 128 after the slash."],
    ["10.0.0.0/", '"10.0.0.0/" has an invalid prefix length', "Write 0 to 32 after the slash."],
    ["10.0.0.1/8", '"10.0.0.1/8" has address bits beyond its prefix', "Write 10.0.0.0/8."],
    ["fd00::1/8", '"fd00::1/8" has address bits beyond its prefix', "Write fd00::/8."],
    ["::ffff:10.0.0.1/104", '"::ffff:10.0.0.1/104" has address bits beyond its prefix', "Write 10.0.0.0/8."],
    ["10.0.0.0/8/8", '"10.0.0.0/8/8" is not a network', "10.0.0.0/8 or fd00::/8"],
    ["receiver.example", '"receiver.example" is not a network', "10.0.0.0/8 or fd00::/8"],
    ["fe80::1%eth0", '"fe80::1%eth0" is not a network', "10.0.0.0/8 or fd00::/8"],
    ["", '"" is not a network', "10.0.0.0/8 or fd00::/8"],
  ])("rejects %p", (text, message, hint) => {
    const failure = captured(() => parseIpNetwork(text));
    expect(failure).toBeInstanceOf(OperatorError);
    expect((failure as OperatorError).message).toBe(message);
    expect((failure as OperatorError).hint).toContain(hint);
    expect(isIpNetwork(text)).toBe(false);
  });
});

function captured(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
