import { randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { type Identity, type Recipient, Stanza } from "age-encryption";

const LABEL = "age-encryption.org/v1/scrypt";
/** The work factors of the library and of `age`: the one they write, and the maximum they read. */
const WORK_FACTOR = 18;
const MAX_WORK_FACTOR = 20;
const SALT_BYTES = 16;
const BLOCK_SIZE = 8;
/** A constant nonce is safe, since each key is used once, with its own salt. */
const NONCE = new Uint8Array(12);

/** Derives a key from a passphrase. `cost` is 2 to the power of the work factor. */
type Derive = (passphrase: string, salt: Uint8Array, cost: number) => Promise<Uint8Array>;

const scryptKey: Derive = promisify(
  (password: string, salt: Uint8Array, cost: number, done: (error: Error | null, key: Buffer) => void) =>
    scrypt(password, salt, 32, { N: cost, r: BLOCK_SIZE, maxmem: 256 * cost * BLOCK_SIZE }, done),
);

/**
 * Encrypts a file key with a passphrase as defined by the age format. The library's implementation derives the key in
 * JavaScript on the event loop, for each read. This one derives it natively on a thread, and caches it, so that a backup
 * that is verified after writing, or unpacked after inspection, derives it only once.
 */
export class PassphraseEncryption implements Recipient, Identity {
  #derived: { salt: Buffer; workFactor: number; key: Uint8Array } | undefined;

  constructor(
    private readonly passphrase: string,
    private readonly derive = scryptKey,
  ) {}

  async wrapFileKey(fileKey: Uint8Array): Promise<Stanza[]> {
    const salt = randomBytes(SALT_BYTES);
    const key = await this.#keyFor(salt, WORK_FACTOR);
    const args = ["scrypt", withoutPadding(salt), `${WORK_FACTOR}`];
    return [new Stanza(args, chacha20poly1305(key, NONCE).encrypt(fileKey))];
  }

  /** Returns the file key; null if the passphrase is wrong. Throws if the header is malformed. */
  async unwrapFileKey(stanzas: Stanza[]): Promise<Uint8Array | null> {
    const [stanza, ...others] = stanzas;
    const [kind, saltText = "", workFactorText = "", ...more] = stanza?.args ?? [];
    if (kind !== "scrypt") return null;
    const salt = Buffer.from(saltText, "base64");
    const workFactor = /^[1-9]\d?$/.test(workFactorText) ? Number(workFactorText) : Number.NaN;
    const isWellFormed = salt.length === SALT_BYTES && withoutPadding(salt) === saltText && more.length === 0;
    if (others.length > 0 || !isWellFormed || !(workFactor <= MAX_WORK_FACTOR) || stanza!.body.length !== 32)
      throw new Error("the header's scrypt stanza is malformed");
    const key = await this.#keyFor(salt, workFactor);
    try {
      return chacha20poly1305(key, NONCE).decrypt(stanza!.body);
    } catch {
      return null;
    }
  }

  async #keyFor(salt: Buffer, workFactor: number): Promise<Uint8Array> {
    const known = this.#derived;
    if (known?.workFactor === workFactor && known.salt.equals(salt)) return known.key;
    const key = await this.derive(
      this.passphrase,
      Buffer.concat([Buffer.from(LABEL), salt]),
      2 ** workFactor,
    );
    this.#derived = { salt, workFactor, key };
    return key;
  }
}

export const backupPassphraseEncryption = (
  passphrase: string | undefined,
): PassphraseEncryption | undefined =>
  passphrase === undefined ? undefined : new PassphraseEncryption(passphrase);

const withoutPadding = (bytes: Buffer) => bytes.toString("base64").replace(/={0,2}$/, "");
