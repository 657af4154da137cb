import type { Administrator } from "../domain/partner.ts";
import { isoTextOfInstant } from "../domain/time.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { jsonInstantOrNull } from "./definition/json-unit-conversion.ts";
import { idSchema, instantSchema, objectSchema, textSchema } from "./definition/schema-field-types.ts";
import { unscopedPageSchema } from "./paging-schema.ts";

const administrator = objectSchema({
  admin_id: idSchema("ADM", "The administrator's ID"),
  name: textSchema("Name of the administrator", "Jane"),
  created_at: instantSchema("When the key was created"),
  revoked_at: instantSchema("When the key was revoked").orNull(),
});

const newAdministrator = objectSchema({
  admin_id: administrator.fields.admin_id,
  admin_key: textSchema("The administrator's key", "svc_admin_…"),
});

/** The only response that contains a new administrator's key. */
export const serializeNewAdministrator = newAdministrator.serializer((id: string, key: string) => ({
  admin_id: id,
  admin_key: key,
}));

export const serializeAdministrator = administrator.serializer((administrator: Administrator) => ({
  admin_id: administrator.id,
  name: administrator.name,
  created_at: isoTextOfInstant(administrator.createdAt),
  revoked_at: jsonInstantOrNull(administrator.revokedAt),
}));
export const administratorsPage = unscopedPageSchema("administrators", administrator);
export type AdministratorPageJson = JsonOf<typeof administratorsPage>;
