import type { Administrator } from "../domain/partner.ts";
import { isoText } from "../domain/time.ts";
import { isoOrNull } from "./definition/json-unit-conversion.ts";
import { id, instant, object, text } from "./definition/schema-field-types.ts";
import type { JsonOf } from "./definition/schema-type.ts";
import { unscopedPage } from "./paging-schema.ts";

const administrator = object({
  admin_id: id("ADM", "The administrator's ID"),
  name: text("Name of the administrator", "Jane"),
  created_at: instant("When the key was created"),
  revoked_at: instant("When the key was revoked").orNull(),
});

const newAdministrator = object({
  admin_id: administrator.fields.admin_id,
  admin_key: text("The administrator's key", "svc_admin_…"),
});

/** The only response that contains a new administrator's key. */
export const serializeNewAdministrator = newAdministrator.serializer((id: string, key: string) => ({
  admin_id: id,
  admin_key: key,
}));

export const serializeAdministrator = administrator.serializer((administrator: Administrator) => ({
  admin_id: administrator.id,
  name: administrator.name,
  created_at: isoText(administrator.createdAt),
  revoked_at: isoOrNull(administrator.revokedAt),
}));
export const administratorsPage = unscopedPage("administrators", administrator);
export type AdministratorPageJson = JsonOf<typeof administratorsPage>;
