import { CompactEncrypt, compactDecrypt } from "jose";
import { OperatorError } from "../domain/errors.ts";
import { deriveKey, type MasterKey } from "./master-key.ts";

/** Encrypts secrets that must be read back, such as webhook secrets, for keeping at rest. */
export type Sealer = {
  /** The text as a compact JWE (dir, A256GCM). The same text gives another result each time. */
  seal(text: string): Promise<string>;
  /** @throws OperatorError when it was sealed with another key, or altered. */
  unseal(sealed: string): Promise<string>;
};

export function sealer(master: MasterKey): Sealer {
  const key = deriveKey(master, "seal");
  return {
    seal: (text) =>
      new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .encrypt(key),
    async unseal(sealed) {
      try {
        const { plaintext } = await compactDecrypt(sealed, key, {
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: ["A256GCM"],
        });
        return new TextDecoder().decode(plaintext);
      } catch {
        throw new OperatorError(
          "a stored secret can't be opened with this key",
          "the key file belongs to another data folder, or the database was altered; restore both from one backup",
        );
      }
    },
  };
}
