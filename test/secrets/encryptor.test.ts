import { expect, test } from "bun:test";
import fc from "fast-check";
import { OperatorError } from "../../src/domain/errors.ts";
import { createEncryptor } from "../../src/secrets/encryptor.ts";
import type { MasterKey } from "../../src/secrets/master-key.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte) as MasterKey;
const { encrypt, decrypt } = createEncryptor(key(1));

test("decrypt returns the encrypted text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
      expect(await decrypt(await encrypt(text))).toBe(text);
    }),
  );
});

// Rule: secrets-encrypted
test("the ciphertext is a JWE with A256GCM, and a different one each time", async () => {
  const [one, two] = [await encrypt("hunter2"), await encrypt("hunter2")];
  const header = JSON.parse(Buffer.from(one.split(".")[0]!, "base64url").toString());
  expect(header).toEqual({ alg: "dir", enc: "A256GCM" });
  expect(one).not.toBe(two);
  expect(one).not.toContain(Buffer.from("hunter2").toString("base64url"));
});

test("rejects the ciphertext of another key, with a hint", async () => {
  const error = await createEncryptor(key(2))
    .decrypt(await encrypt("hunter2"))
    .catch((error) => error);
  expect(error).toBeInstanceOf(OperatorError);
  expect(error.hint).toContain("Restore both from one backup");
});

test("rejects text that was altered, truncated or never encrypted", async () => {
  const encrypted = await encrypt("a secret of some length");
  const altered = Array.from(encrypted, (letter, at) => {
    return encrypted.slice(0, at) + (letter === "A" ? "Q" : "A") + encrypted.slice(at + 1);
  });
  for (const text of [...altered, encrypted.slice(0, -4), "", "....", "hunter2"]) {
    expect(await decrypt(text).catch((error) => error)).toBeInstanceOf(OperatorError);
  }
});
