import { createHmac } from "node:crypto";
import { isId } from "../domain/ids/record-ids.ts";
import type { Instant } from "../domain/time.ts";
import { deriveSecretKey, type MasterKey } from "./master-key.ts";
import { secretsEqual } from "./secret-hash.ts";

/** The environment variable in which the server passes a token to a command that it starts. */
export const IMPERSONATION_TOKEN_VARIABLE = "MAINSTAY_ACTING_PASS";

/** Longer than a command takes to start and read the token. */
const LIFETIME_MS = 60_000;

/**
 * Creates the issuer and verifier of tokens with which a command acts on behalf of an administrator. They are signed with
 * a key derived from the master key, so that no other process can enter a false name in the audit log.
 */
export function impersonationTokens(master: MasterKey) {
  const key = deriveSecretKey(master, "acting");
  const signed = (text: string) => `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
  return {
    issue: (administratorId: string, now: Instant): string =>
      signed(`${administratorId}.${now + LIFETIME_MS}`),
    /** Returns the ID of the administrator; undefined if the token has expired or this key did not sign it. */
    verify(token: string, now: Instant): string | undefined {
      const [administratorId = "", until = ""] = token.split(".");
      const isGenuine = secretsEqual(token, signed(`${administratorId}.${until}`));
      const isCurrent = Number(until) > now && Number(until) <= now + LIFETIME_MS;
      return isGenuine && isCurrent && isId("administrator", administratorId) ? administratorId : undefined;
    },
  };
}
export type ImpersonationTokens = ReturnType<typeof impersonationTokens>;
