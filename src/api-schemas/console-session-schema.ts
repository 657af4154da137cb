import type { Administrator } from "../domain/partner.ts";
import { type Instant, isoTextOfInstant } from "../domain/time.ts";
import { defineSchemaConstraint } from "./definition/api-schema-field-constraint.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { bodySchema, requiredSchema } from "./definition/input-schema.ts";
import {
  flagSchema,
  idSchema,
  instantSchema,
  objectSchema,
  textSchema,
} from "./definition/schema-field-types.ts";

export const signIn = bodySchema({
  admin_key: requiredSchema(
    defineSchemaConstraint((type) => type("1 <= string <= 200")),
    "The administrator key",
    "svc_admin_…",
  ),
});

export const consoleSession = objectSchema({
  signed_in: flagSchema("Whether the cookie belongs to an active session"),
  admin_id: idSchema("ADM", "ID of the signed-in administrator").orNull(),
  name: textSchema("The administrator's name", "Night shift").orNull(),
  csrf_token: textSchema("Token that every change must send in the X-Csrf-Token header", "kq3…").orNull(),
  expires_at: instantSchema("When the session expires").orNull(),
  shows_credentials: flagSchema(
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
    expires_at: session ? isoTextOfInstant(session.expiresAt) : null,
    shows_credentials: shows,
  }),
);
