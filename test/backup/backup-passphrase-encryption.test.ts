import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { Decrypter, Encrypter, Stanza } from "age-encryption";
import fc from "fast-check";
import { PassphraseEncryption } from "../../src/backup/backup-passphrase-encryption.ts";

const PASSPHRASE = "pferd, batterie – häftklammer";
const FILE_KEY = new Uint8Array(16).fill(7);

/** Encrypts with the library and a low work factor. */
async function encryptedByLibrary(content: Uint8Array): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(PASSPHRASE);
  encrypter.setScryptWorkFactor(4);
  return await encrypter.encrypt(content);
}

async function opened(encrypted: Uint8Array, passphrase: string): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(new PassphraseEncryption(passphrase));
  return await decrypter.decrypt(encrypted);
}

describe("a passphrase's lock", () => {
  test("decrypts files of the library with the right passphrase only", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.string(), async (content, other) => {
        const encrypted = await encryptedByLibrary(content);
        expect(await opened(encrypted, PASSPHRASE)).toEqual(content);
        fc.pre(other !== PASSPHRASE);
        await expect(opened(encrypted, other)).rejects.toThrow("no identity matched");
      }),
      { numRuns: 30 },
    );
  });

  test("encrypts files that the library decrypts, and derives its key off the event loop", async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const encrypter = new Encrypter();
    encrypter.addRecipient(new PassphraseEncryption(PASSPHRASE));
    const encrypted = await encrypter.encrypt("said");
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
    const decrypter = new Decrypter();
    decrypter.addPassphrase(PASSPHRASE);
    expect(await decrypter.decrypt(encrypted, "text")).toBe("said");
    // The cost of trying a passphrase must not change.
    expect(new TextDecoder().decode(encrypted)).toMatch(/^age-encryption\.org\/v1\n-> scrypt \S{22} 18\n/);
  });

  test("derives a key once per salt", async () => {
    const derived: [string, number][] = [];
    const lock = new PassphraseEncryption(PASSPHRASE, async (passphrase, salt, cost) => {
      derived.push([passphrase, cost]);
      return createHash("sha256").update(passphrase).update(salt).update(`${cost}`).digest();
    });
    const [stanza] = await lock.wrapFileKey(FILE_KEY);
    expect(await lock.unwrapFileKey([stanza!])).toEqual(FILE_KEY);
    expect(await lock.unwrapFileKey([stanza!])).toEqual(FILE_KEY);
    expect(derived).toEqual([[PASSPHRASE, 2 ** 18]]);
    const [, salt = ""] = stanza!.args;
    for (const args of [
      ["scrypt", "A".repeat(22), "18"],
      ["scrypt", salt, "4"],
    ])
      expect(await lock.unwrapFileKey([new Stanza(args, stanza!.body)])).toBeNull();
    expect(derived).toHaveLength(3);
  });

  test("ignores other recipient types, and rejects a malformed header before deriving a key", async () => {
    const lock = new PassphraseEncryption(PASSPHRASE);
    const salt = "A".repeat(22);
    const stanza = (args: string[], bytes = 32) => new Stanza(args, new Uint8Array(bytes));
    expect(await lock.unwrapFileKey([stanza(["X25519", salt])])).toBeNull();
    const malformed = [
      [stanza(["scrypt", salt, "21"])],
      [stanza(["scrypt", salt, "0"])],
      [stanza(["scrypt", salt, "4x"])],
      [stanza(["scrypt", salt])],
      [stanza(["scrypt", salt, "4", "more"])],
      [stanza(["scrypt", salt.slice(2), "4"])],
      [stanza(["scrypt", `${salt.slice(1)}B`, "4"])],
      [stanza(["scrypt", salt, "4"], 31)],
      [stanza(["scrypt", salt, "4"]), stanza(["X25519", salt])],
    ];
    for (const stanzas of malformed) await expect(lock.unwrapFileKey(stanzas)).rejects.toThrow("malformed");
  });
});
