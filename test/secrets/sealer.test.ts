import { expect, test } from "bun:test";
import fc from "fast-check";
import { OperatorError } from "../../src/domain/errors.ts";
import type { MasterKey } from "../../src/secrets/master-key.ts";
import { sealer } from "../../src/secrets/sealer.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte) as MasterKey;
const { seal, unseal } = sealer(key(1));

test("any text comes back as it was", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
      expect(await unseal(await seal(text))).toBe(text);
    }),
  );
});

// Rule: secrets-sealed
test("the sealed form is a JWE under A256GCM that shows nothing, and is another one each time", async () => {
  const [one, two] = [await seal("hunter2"), await seal("hunter2")];
  const header = JSON.parse(Buffer.from(one.split(".")[0]!, "base64url").toString());
  expect(header).toEqual({ alg: "dir", enc: "A256GCM" });
  expect(one).not.toBe(two);
  expect(one).not.toContain(Buffer.from("hunter2").toString("base64url"));
});

test("what another key sealed is refused with what to do", async () => {
  const error = await sealer(key(2))
    .unseal(await seal("hunter2"))
    .catch((error) => error);
  expect(error).toBeInstanceOf(OperatorError);
  expect(error.hint).toContain("restore both from one backup");
});

test("what was altered, cut or never sealed is refused", async () => {
  const sealed = await seal("a secret of some length");
  const altered = Array.from(sealed, (letter, at) => {
    return sealed.slice(0, at) + (letter === "A" ? "Q" : "A") + sealed.slice(at + 1);
  });
  for (const text of [...altered, sealed.slice(0, -4), "", "....", "hunter2"]) {
    expect(await unseal(text).catch((error) => error)).toBeInstanceOf(OperatorError);
  }
});
