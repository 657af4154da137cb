import type { FillRandom } from "../domain/ids/record-ids.ts";

/** Returns an API key: `svc_live_` and 192 random bits as 48 hexadecimal characters. */
export const newApiKey = (fill: FillRandom) => `svc_live_${hex(24, fill)}`;

/** Returns an administrator's key: `svc_admin_` and 48 hexadecimal characters. */
export const newAdminKey = (fill: FillRandom) => `svc_admin_${hex(24, fill)}`;

/** Returns the client ID of OAuth credentials: `svc_client_` and 24 hexadecimal characters. */
export const newClientId = (fill: FillRandom) => `svc_client_${hex(12, fill)}`;

/** Returns the client secret of OAuth credentials: `svc_secret_` and 48 hexadecimal characters. */
export const newClientSecret = (fill: FillRandom) => `svc_secret_${hex(24, fill)}`;

/** Returns the token of an embedded page: `svc_embed_` and 48 hexadecimal characters. */
export const newEmbedToken = (fill: FillRandom) => `svc_embed_${hex(24, fill)}`;

/** Returns a passcode to read out: 60 random bits as three groups of Crockford base 32. */
export function newPasscode(fill: FillRandom): string {
  const symbols = "0123456789abcdefghjkmnpqrstvwxyz"; // 32, so that every byte gives each equally often
  const text = Array.from(fill(new Uint8Array(12)), (byte) => symbols[byte % 32]).join("");
  return [text.slice(0, 4), text.slice(4, 8), text.slice(8)].join("-");
}

/** Returns a webhook secret in the format of Standard Webhooks: `whsec_` and the base64 of 32 random bytes. */
export const newWebhookSecret = (fill: FillRandom) =>
  `whsec_${Buffer.from(fill(new Uint8Array(32))).toString("base64")}`;

/** The text in the place of a secret. */
export const REDACTED = "[redacted]";

/** Matches secret credentials and bearer tokens anywhere in a text. */
export const CREDENTIAL_PATTERN =
  /svc_(?:live|admin|secret|embed)_[\da-f]{8,}|whsec_[A-Za-z\d+/]{8,}={0,2}|svct_[\w.-]{8,}/g;

function hex(bytes: number, fill: FillRandom): string {
  return Buffer.from(fill(new Uint8Array(bytes))).toString("hex");
}
