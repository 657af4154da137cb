import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  CREDENTIAL_PATTERN,
  newAdminKey,
  newApiKey,
  newClientId,
  newClientSecret,
  newWebhookSecret,
} from "../../src/secrets/credentials.ts";
import { hashSecret, secretsEqual } from "../../src/secrets/secret-hash.ts";

const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const KINDS = [
  [newApiKey, /^svc_live_[0-9a-f]{48}$/],
  [newAdminKey, /^svc_admin_[0-9a-f]{48}$/],
  [newClientId, /^svc_client_[0-9a-f]{24}$/],
  [newClientSecret, /^svc_secret_[0-9a-f]{48}$/],
  [newWebhookSecret, /^whsec_[A-Za-z0-9+/]{43}=$/],
] as const;

// Rule: webhook-secret-form
test("credentials have their documented format for any random bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const fill = (into: Uint8Array) => {
        into.set(bytes.subarray(0, into.length));
        return into;
      };
      for (const [make, form] of KINDS) expect(make(fill)).toMatch(form);
    }),
  );
});

test("different random bytes give different credentials", () => {
  for (const [make] of KINDS) {
    expect(new Set(Array.from({ length: 1000 }, () => make(random))).size).toBe(1000);
  }
});

test("the pattern matches every secret credential in any text, and no client ID", () => {
  for (const [make] of KINDS) {
    const secret = make(random);
    const cleaned = `n${secret}\\n"${secret}"`.replace(CREDENTIAL_PATTERN, "*");
    expect(cleaned).toBe(make === newClientId ? `n${secret}\\n"${secret}"` : 'n*\\n"*"');
  }
});

// Rule: secrets-hashed
test("the hash of a secret is its SHA-256", () => {
  expect(hashSecret("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

// Rule: secrets-hashed
test("secretsEqual agrees with equality", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(secretsEqual(a, a)).toBe(true);
      expect(secretsEqual(a, b)).toBe(a === b);
      expect(secretsEqual(a, `${a}x`)).toBe(false);
    }),
  );
});
