import { createHmac } from "node:crypto";
import { isId } from "../domain/ids.ts";
import type { Instant } from "../domain/time.ts";
import { secretsEqual } from "./hash.ts";
import { deriveKey, type MasterKey } from "./master-key.ts";

/** The variable that hands a pass from the server to a command that it starts. */
export const IMPERSONATION_TOKEN_VARIABLE = "MAINSTAY_ACTING_PASS";

/** Within this a command that was started with a pass has read it. */
const LIFETIME_MS = 60_000;

/**
 * Passes by which a process of this installation acts in an administrator's name. Signed with the installation's key,
 * so that nobody else can take a name that is not theirs into the audit.
 */
export function impersonationTokens(master: MasterKey) {
  const key = deriveKey(master, "acting");
  const signed = (text: string) => `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
  return {
    issue: (administratorId: string, now: Instant): string =>
      signed(`${administratorId}.${now + LIFETIME_MS}`),
    /** The administrator that the pass names; undefined for one that this key did not sign, or whose time is over. */
    verify(pass: string, now: Instant): string | undefined {
      const [administratorId = "", until = ""] = pass.split(".");
      const isGenuine = secretsEqual(pass, signed(`${administratorId}.${until}`));
      const isInTime = Number(until) > now && Number(until) <= now + LIFETIME_MS;
      return isGenuine && isInTime && isId("administrator", administratorId) ? administratorId : undefined;
    },
  };
}
export type ImpersonationTokens = ReturnType<typeof impersonationTokens>;
