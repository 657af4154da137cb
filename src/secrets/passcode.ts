import { createHmac } from "node:crypto";
import type { Instant } from "../domain/time.ts";

/** The least that OWASP recommends for argon2id: 19 MiB and two passes, about 50 ms off the event loop. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Returns the hash of a passcode, for storage. A slow one, since a person may have chosen the passcode. */
export const hashPasscode = (passcode: string): Promise<string> => Bun.password.hash(passcode, ARGON2);

/** Returns whether the passcode is the one with this hash. */
export const passcodeMatchesHash = async (passcode: string, hash: string): Promise<boolean> =>
  passcode !== "" && (await Bun.password.verify(passcode, hash));

/**
 * Returns the pass of a viewer who has entered the passcode of `subject`, as hexadecimal. The hash contains random bits and
 * never leaves the server, so nobody else can compute a pass.
 */
export const createPasscodeViewerPass = (pass: {
  subject: string;
  expiresAt: Instant;
  passcodeHash: string;
}): string =>
  createHmac("sha256", pass.passcodeHash).update(`${pass.subject} ${pass.expiresAt}`).digest("hex");
