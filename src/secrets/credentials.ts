import type { FillRandom } from "../domain/ids.ts";

/** An API key: `svc_live_` and 192 random bits as 48 hexadecimal characters. */
export const newApiKey = (fill: FillRandom) => `svc_live_${hex(24, fill)}`;

/** An administrator's key: `svc_admin_` and 48 hexadecimal characters. */
export const newAdminKey = (fill: FillRandom) => `svc_admin_${hex(24, fill)}`;

/** The public half of the OAuth credentials: `svc_client_` and 24 hexadecimal characters. */
export const newClientId = (fill: FillRandom) => `svc_client_${hex(12, fill)}`;

/** The private half: `svc_secret_` and 48 hexadecimal characters. */
export const newClientSecret = (fill: FillRandom) => `svc_secret_${hex(24, fill)}`;

/** What opens an embedded page: `svc_embed_` and 48 hexadecimal characters. */
export const newEmbedToken = (fill: FillRandom) => `svc_embed_${hex(24, fill)}`;

/** A webhook secret: `whsec_` and the base64 of 32 random bytes, as the Standard Webhooks libraries take it. */
export const newWebhookSecret = (fill: FillRandom) =>
  `whsec_${Buffer.from(fill(new Uint8Array(32))).toString("base64")}`;

/** What is secret of the above, and bearer tokens, wherever they stand in a text. */
export const CREDENTIAL_PATTERN =
  /svc_(?:live|admin|secret|embed)_[\da-f]{8,}|whsec_[A-Za-z\d+/]{8,}={0,2}|svct_[\w.-]{8,}/g;

function hex(bytes: number, fill: FillRandom): string {
  return Buffer.from(fill(new Uint8Array(bytes))).toString("hex");
}
