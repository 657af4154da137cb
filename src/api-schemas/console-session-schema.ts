import type { Administrator } from "../domain/partner.ts";
import { type Instant, isoText } from "../domain/time.ts";
import { body, required } from "./definition/input-schema.ts";
import { defineConstraint } from "./definition/schema-field-constraint.ts";
import { flag, id, instant, object, text } from "./definition/schema-field-types.ts";
import type { JsonOf } from "./definition/schema-type.ts";

export const signIn = body({
  admin_key: required(
    defineConstraint((type) => type("1 <= string <= 200")),
    "The administrator key",
    "svc_admin_…",
  ),
});

export const consoleSession = object({
  signed_in: flag("Whether the cookie belongs to an active session"),
  admin_id: id("ADM", "ID of the signed-in administrator").orNull(),
  name: text("The administrator's name", "Night shift").orNull(),
  csrf_token: text("Token that every change must send in the X-Csrf-Token header", "kq3…").orNull(),
  expires_at: instant("When the session expires").orNull(),
  shows_credentials: flag(
    "Whether the console shows new credentials; false on an address that partners can reach",
  ),
});
export type ConsoleSessionJson = JsonOf<typeof consoleSession>;

type Session = { administrator: Administrator; csrfToken: string; expiresAt: Instant };

export const serializeConsoleSession = consoleSession.serializer(
  (session: Session | undefined, shows: boolean) => ({
    signed_in: session !== undefined,
    admin_id: session?.administrator.id ?? null,
    name: session?.administrator.name ?? null,
    csrf_token: session?.csrfToken ?? null,
    expires_at: session ? isoText(session.expiresAt) : null,
    shows_credentials: shows,
  }),
);
