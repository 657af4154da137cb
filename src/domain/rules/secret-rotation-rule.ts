import type { WebhookEndpoint } from "../partner.ts";
import type { Instant } from "../time.ts";

/** Returns whether the overlap of a rotation has ended, so that the next secret signs. */
export function hasSecretRotationEndedRule(
  { rotatesAt }: Pick<WebhookEndpoint, "rotatesAt">,
  now: Instant,
): boolean {
  return rotatesAt !== null && rotatesAt <= now;
}
