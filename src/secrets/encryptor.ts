import { CompactEncrypt, compactDecrypt } from "jose";
import { OperatorError } from "../domain/errors.ts";
import { deriveSecretKey, type MasterKey } from "./master-key.ts";

/** Encrypts secrets that must be readable again, such as webhook secrets, for storage. */
export type Encryptor = {
  /** Returns the text as a compact JWE (dir, A256GCM). The result differs for each call. */
  encrypt(text: string): Promise<string>;
  /** Returns the text. Throws an OperatorError if it was encrypted with another key, or altered. */
  decrypt(encrypted: string): Promise<string>;
};

/** Returns the encryption of stored secrets (AES-256-GCM), with a key that is derived from the master key. */
export function createEncryptor(master: MasterKey): Encryptor {
  const key = deriveSecretKey(master, "seal");
  return {
    encrypt: (text) =>
      new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .encrypt(key),
    async decrypt(encrypted) {
      try {
        const { plaintext } = await compactDecrypt(encrypted, key, {
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: ["A256GCM"],
        });
        return new TextDecoder().decode(plaintext);
      } catch {
        throw new OperatorError(
          "a stored secret cannot be decrypted with this key",
          "The key file belongs to another data folder, or the database was altered. Restore both from one backup.",
        );
      }
    },
  };
}
