import { beforeAll, describe, expect, test } from "bun:test";
import { EmbedPasscodeGate } from "../../src/http/http-embed-passcode-gate.ts";
import { RequestSlidingWindow } from "../../src/http/request-sliding-window.ts";
import { hashPasscode } from "../../src/secrets/passcode.ts";

const NOW = 1_767_225_600_000;
const URL = "http://risk.example.com/embed/property/svc_embed_1";
const PASSCODE = "maple-4711";
const HOURS = 3_600_000;
let embed: { id: string; passcodeHash: string };
beforeAll(async () => {
  embed = { id: "EMB_1", passcodeHash: await hashPasscode(PASSCODE) };
});

type Settings = { isSecure?: boolean; frameAncestors?: string[]; perEmbed?: number };
function gateOf({ isSecure = false, frameAncestors = ["'self'"], perEmbed = 30 }: Settings = {}) {
  const time = { ms: 0 };
  const gate = new EmbedPasscodeGate({
    byAddress: new RequestSlidingWindow(5),
    byEmbed: new RequestSlidingWindow(perEmbed),
    monotonicMs: () => time.ms,
    isSecure,
    frameAncestors,
  });
  const attempt = (given: string, address = "203.0.113.7", of = embed) =>
    gate.attempt({ request: new Request(URL), address, now: NOW }, of, given);
  const cookie = async () => {
    const outcome = await attempt(PASSCODE);
    if (typeof outcome !== "object" || !("cookie" in outcome)) throw new Error("the passcode was refused");
    return outcome.cookie;
  };
  const isOpen = (sent: string, now = NOW, of = embed) =>
    gate.isOpenTo(new Request(URL, { headers: { cookie: sent } }), of, now);
  return { time, gate, attempt, cookie, isOpen };
}
const pair = (cookie: string) => cookie.split(";")[0]!;

describe("the passcode of an embed", () => {
  test("is not needed without one", () => {
    const { gate } = gateOf();
    expect(gate.isOpenTo(new Request(URL), { id: "EMB_1", passcodeHash: null }, NOW)).toBeTrue();
    expect(gate.isOpenTo(new Request(URL), embed, NOW)).toBeFalse();
  });

  test("gives a cookie that opens the embed for 12 hours", async () => {
    const { cookie, isOpen } = gateOf();
    const given = pair(await cookie());
    expect(isOpen(given)).toBeTrue();
    expect(isOpen(`other=1; ${given}; another=2`)).toBeTrue();
    // A planted cookie of the same name does not hide the right one.
    expect(isOpen(`mainstay_EMB_1=x; ${given}`)).toBeTrue();
    expect(isOpen(given, NOW + 12 * HOURS - 1)).toBeTrue();
    expect(isOpen(given, NOW + 12 * HOURS)).toBeFalse();
  });

  test("is refused if wrong, and so is a cookie that was changed or belongs to another embed", async () => {
    const { attempt, cookie, isOpen } = gateOf();
    for (const wrong of ["", "Maple-4711", `${PASSCODE} `]) expect(await attempt(wrong)).toBe("wrong");
    const [name, value] = pair(await cookie()).split("=") as [string, string];
    const [expiry, pass] = value.split(".") as [string, string];
    const later = `${Number(expiry) + 1}.${pass}`;
    for (const forged of [later, expiry, pass, `${expiry}.${"0".repeat(64)}`, `${value}0`, ""])
      expect(isOpen(`${name}=${forged}`), forged).toBeFalse();
    const other = { ...embed, id: "EMB_2" };
    expect(isOpen(`mainstay_EMB_2=${value}`, NOW, other)).toBeFalse();
    // A new hash, even of the same passcode, ends all passes.
    const rehashed = { ...embed, passcodeHash: await hashPasscode(PASSCODE) };
    expect(isOpen(`${name}=${value}`, NOW, rehashed)).toBeFalse();
  });

  test("may be tried five times a minute from an address, right or wrong", async () => {
    const { time, attempt } = gateOf();
    for (let n = 0; n < 5; n++) expect(await attempt("wrong")).toBe("wrong");
    expect(await attempt(PASSCODE)).toEqual({ waitMs: 60_000 });
    // The /64 of an IPv6 address counts as one address; other addresses and embeds are unaffected.
    expect(await attempt(PASSCODE, "203.0.113.8")).toHaveProperty("cookie");
    expect(await attempt("wrong", "203.0.113.7", { ...embed, id: "EMB_2" })).toBe("wrong");
    for (let n = 0; n < 5; n++) await attempt("wrong", `2001:db8::${n}`);
    expect(await attempt(PASSCODE, "2001:db8::ffff")).toEqual({ waitMs: 60_000 });
    time.ms = 60_000;
    expect(await attempt(PASSCODE)).toHaveProperty("cookie");
  });

  test("may be tried a limited number of times from all addresses together", async () => {
    const { attempt } = gateOf({ perEmbed: 3 });
    for (let n = 0; n < 3; n++) expect(await attempt("wrong", `203.0.113.${n}`)).toBe("wrong");
    expect(await attempt(PASSCODE, "203.0.113.9")).toEqual({ waitMs: 60_000 });
  });
});

describe("the cookie", () => {
  const attributes = async (settings: Settings) => (await gateOf(settings).cookie()).split("; ").slice(1);

  test("is for the pages of that embed only, and hidden from scripts", async () => {
    expect(await attributes({})).toEqual([
      "Path=/embed/property/svc_embed_1",
      "HttpOnly",
      "SameSite=Lax",
      "Max-Age=43200",
    ]);
  });

  test("is sent over HTTPS only, and within another site's frame only where sites may frame pages", async () => {
    expect(await attributes({ isSecure: true })).toContain("Secure");
    expect(await attributes({ isSecure: true })).toContain("SameSite=Lax");
    const frameAncestors = ["'self'", "https://portal.example.com"];
    const framed = await attributes({ isSecure: true, frameAncestors });
    expect(framed).toEqual(expect.arrayContaining(["SameSite=None", "Partitioned", "Secure"]));
    // Browsers refuse SameSite=None without Secure.
    expect(await attributes({ frameAncestors })).toContain("SameSite=Lax");
  });
});
