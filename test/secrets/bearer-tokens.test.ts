import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SignJWT, UnsecuredJWT } from "jose";
import { newId } from "../../src/domain/ids/record-ids.ts";
import { bearerTokenSecrets } from "../../src/secrets/bearer-tokens.ts";
import { deriveSecretKey, type MasterKey } from "../../src/secrets/master-key.ts";

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const master = new Uint8Array(32).fill(7) as MasterKey;
const NOW = Date.parse("2026-01-31T12:00:00Z");
const HOUR = 3_600_000;
const partnerId = newId("partner", NOW, random);
const { issue, verify } = bearerTokenSecrets(master, random);

describe("a token", () => {
  test("contains the partner, the generation and the expiry", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
        fc.integer({ min: 0, max: 4e12 }),
        async (generation, now) => {
          const token = await issue({ partnerId, generation, now });
          const expiresAt = Math.floor(now / 1000) * 1000 + HOUR;
          expect(await verify(token, now)).toEqual({ partnerId, generation, expiresAt });
        },
      ),
    );
  });

  // Rule: token-form
  test("is svct_ and a JWT with the documented claims", async () => {
    const token = await issue({ partnerId, generation: 3, now: NOW });
    expect(token).toMatch(/^svct_[\w-]+\.[\w-]+\.[\w-]+$/);
    const [header, payload] = token
      .slice(5)
      .split(".")
      .map((part, at) => (at < 2 ? JSON.parse(Buffer.from(part, "base64url").toString()) : part));
    expect(header).toEqual({ alg: "HS256", typ: "JWT" });
    expect(payload).toEqual({
      scope: "read write",
      gen: 3,
      sub: partnerId,
      iat: NOW / 1000,
      exp: NOW / 1000 + 3600,
      jti: expect.stringMatching(/^[\w-]{22}$/),
    });
  });

  // Rule: token-life
  test("expires after 3600 seconds", async () => {
    const token = await issue({ partnerId, generation: 1, now: NOW });
    expect(await verify(token, NOW + HOUR - 1)).toBeDefined();
    expect(await verify(token, NOW + HOUR)).toBeUndefined();
  });

  test("is rejected if the clock was set back since, by more than the minute that servers may differ", async () => {
    const token = await issue({ partnerId, generation: 1, now: NOW });
    expect(await verify(token, NOW - 60_000)).toBeDefined();
    expect(await verify(token, NOW - 61_000)).toBeUndefined();
  });
});

describe("verify rejects", () => {
  test("arbitrary text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        expect(await verify(text, NOW)).toBeUndefined();
        expect(await verify(`svct_${text}`, NOW)).toBeUndefined();
      }),
    );
  });

  test("a token with a changed, missing or additional character, or without its prefix", async () => {
    const token = await issue({ partnerId, generation: 1, now: NOW });
    for (let at = 0; at < token.length; at++) {
      for (const letter of ["A", "B", "Q", "_", ".", " ", "="]) {
        if (letter === token[at]) continue;
        expect(await verify(token.slice(0, at) + letter + token.slice(at + 1), NOW)).toBeUndefined();
      }
      expect(await verify(token.slice(0, at), NOW)).toBeUndefined();
    }
    for (const other of [`${token}=`, `${token}A`, ` ${token}`, `${token}\n`, token.slice(5), `${token}.`]) {
      expect(await verify(other, NOW)).toBeUndefined();
    }
  });

  test("a token signed with another key, or with the encryption key", async () => {
    const other = bearerTokenSecrets(new Uint8Array(32).fill(8) as MasterKey, random);
    expect(await verify(await other.issue({ partnerId, generation: 1, now: NOW }), NOW)).toBeUndefined();
    expect(await verify(await sign({}, {}, deriveSecretKey(master, "seal")), NOW)).toBeUndefined();
  });

  test("a token without a signature, whatever its algorithm", async () => {
    const unsigned = new UnsecuredJWT(CLAIMS).encode();
    const [, payload, signature] = (await sign({})).slice(5).split(".");
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url");
    for (const jwt of [unsigned, `${none}.${payload}.`, `${none}.${payload}.${signature}`]) {
      expect(await verify(`svct_${jwt}`, NOW)).toBeUndefined();
    }
  });

  test("another algorithm or type, or an unknown critical header, even with the right key", async () => {
    expect(await verify(await sign({}), NOW)).toBeDefined(); // The baseline: the tokens below differ from it in one property each.
    for (const header of [{ alg: "HS512" }, { alg: "HS384" }, { typ: "at+jwt" }, { typ: undefined }]) {
      expect(await verify(await sign({}, header, undefined), NOW)).toBeUndefined();
    }
  });

  test.each([
    { sub: undefined },
    { sub: "ADM_00000000000000000000000000" },
    { sub: "PARTNER_1" },
    { sub: 5 },
    { gen: undefined },
    { gen: "1" },
    { gen: -1 },
    { gen: 1.5 },
    { exp: undefined },
    { exp: 1e15 },
    { exp: String(NOW / 1000 + 3600) },
    { iat: undefined },
    { iat: NOW / 1000 - 10 },
    { scope: "read" },
    { jti: undefined },
    { nbf: NOW / 1000 + 10 },
  ])("none with the claims changed to %j, even under the right key", async (changed) => {
    expect(await verify(await sign(changed), NOW)).toBeUndefined();
  });
});

const CLAIMS = {
  sub: partnerId,
  scope: "read write",
  gen: 1,
  iat: NOW / 1000,
  exp: NOW / 1000 + 3600,
  jti: "j",
};

/** Returns a valid token except for the given claims and headers. */
function sign(changed: object, header: object = {}, key: Uint8Array = deriveSecretKey(master, "tokens")) {
  return new SignJWT({ ...CLAIMS, ...changed } as Record<string, unknown>)
    .setProtectedHeader({ alg: "HS256", typ: "JWT", ...header })
    .sign(key)
    .then((jwt) => `svct_${jwt}`);
}
