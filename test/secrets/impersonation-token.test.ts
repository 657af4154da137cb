import { describe, expect, test } from "bun:test";
import { impersonationTokens } from "../../src/secrets/impersonation-token.ts";
import type { MasterKey } from "../../src/secrets/master-key.ts";

const NOW = Date.parse("2026-01-31T12:00:00Z");
const MINUTE_MS = 60_000;
const ADMINISTRATOR = "ADM_01m7xtb1x0e2mav3k9q8w7r6t5";
const tokens = impersonationTokens(new Uint8Array(32).fill(1) as MasterKey);
const others = impersonationTokens(new Uint8Array(32).fill(2) as MasterKey);
const token = tokens.issue(ADMINISTRATOR, NOW);

describe("a token with which a command acts for an administrator", () => {
  // Rule: audit-user
  test("is valid for a minute", () => {
    expect(tokens.verify(token, NOW)).toBe(ADMINISTRATOR);
    expect(tokens.verify(token, NOW + MINUTE_MS - 1)).toBe(ADMINISTRATOR);
    expect(tokens.verify(token, NOW + MINUTE_MS)).toBeUndefined();
    // The clock was set back, which would prolong its life.
    expect(tokens.verify(token, NOW - 1)).toBeUndefined();
  });

  // Rule: audit-user
  test.each([
    ["signed with another key", others.issue(ADMINISTRATOR, NOW)],
    ["for another administrator", token.replace("t5.", "t6.")],
    ["with another time", token.replace(`${NOW + MINUTE_MS}`, `${NOW + MINUTE_MS - 1}`)],
    ["with a time that is no number", token.replace(`${NOW + MINUTE_MS}`, "Infinity")],
    ["without its signature", token.slice(0, token.lastIndexOf("."))],
    ["with an empty signature", token.slice(0, token.lastIndexOf(".") + 1)],
    ["with another part", `${token}.x`],
    ["for a partner", tokens.issue("PARTNER_01m7xtb1x0e2mav3k9q8w7r6t5", NOW)],
    ["for nobody", tokens.issue("", NOW)],
    ["that is empty", ""],
  ])("is rejected %s", (_, given) => {
    expect(tokens.verify(given, NOW)).toBeUndefined();
  });
});
