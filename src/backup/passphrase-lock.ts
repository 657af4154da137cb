import { randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { type Identity, type Recipient, Stanza } from "age-encryption";

const LABEL = "age-encryption.org/v1/scrypt";
/** Of the library, and of `age`: what they write with, and the most that they read. */
const WORK_FACTOR = 18;
const MOST_WORK_FACTOR = 20;
const SALT_BYTES = 16;
const BLOCK_SIZE = 8;
/** A key is used once, with a salt of its own. */
const NONCE = new Uint8Array(12);

/** The key of a passphrase, whose bytes are salted; `cost` is 2 to the power of the work factor. */
type Derive = (passphrase: string, salt: Uint8Array, cost: number) => Promise<Uint8Array>;

const byRuntime: Derive = promisify(
  (password: string, salt: Uint8Array, cost: number, done: (error: Error | null, key: Buffer) => void) =>
    scrypt(password, salt, 32, { N: cost, r: BLOCK_SIZE, maxmem: 256 * cost * BLOCK_SIZE }, done),
);

/**
 * Wraps a file's key with a passphrase as the age format has it: what it writes, any reader of the format opens. The
 * library's own derives the key in JavaScript, on the event loop, and anew for each reading. This has the runtime do it
 * on a thread, and remembers it: whoever reads back what was written, or unpacks what was inspected, derives it once.
 */
export class PassphraseLock implements Recipient, Identity {
  #derived: { salt: Buffer; workFactor: number; key: Uint8Array } | undefined;

  constructor(
    private readonly passphrase: string,
    private readonly derive = byRuntime,
  ) {}

  async wrapFileKey(fileKey: Uint8Array): Promise<Stanza[]> {
    const salt = randomBytes(SALT_BYTES);
    const key = await this.#keyFor(salt, WORK_FACTOR);
    const args = ["scrypt", withoutPadding(salt), `${WORK_FACTOR}`];
    return [new Stanza(args, chacha20poly1305(key, NONCE).encrypt(fileKey))];
  }

  /** Null when the passphrase is not the one that the file was encrypted with. Throws when its header is malformed. */
  async unwrapFileKey(stanzas: Stanza[]): Promise<Uint8Array | null> {
    const [stanza, ...others] = stanzas;
    const [kind, saltText = "", workFactorText = "", ...more] = stanza?.args ?? [];
    if (kind !== "scrypt") return null;
    const salt = Buffer.from(saltText, "base64");
    const workFactor = /^[1-9]\d?$/.test(workFactorText) ? Number(workFactorText) : Number.NaN;
    const isWell = salt.length === SALT_BYTES && withoutPadding(salt) === saltText && more.length === 0;
    if (others.length > 0 || !isWell || !(workFactor <= MOST_WORK_FACTOR) || stanza!.body.length !== 32)
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

export const lockOf = (passphrase: string | undefined): PassphraseLock | undefined =>
  passphrase === undefined ? undefined : new PassphraseLock(passphrase);

const withoutPadding = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
