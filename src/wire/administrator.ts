import type { Administrator } from "../domain/partner.ts";
import { toIso } from "../domain/time.ts";
import { operatorsPage } from "./paging.ts";
import { id, instant, object, text } from "./schema/fields.ts";
import { isoOrNull } from "./schema/units.ts";
import type { WireOf } from "./schema/wire-type.ts";

const administrator = object({
  admin_id: id("ADM", "The administrator's id"),
  name: text("Who holds the key", "Jane"),
  created_at: instant("When the key was made"),
  revoked_at: instant("When it was ended").orNull(),
});

const newAdministrator = object({
  admin_id: administrator.fields.admin_id,
  admin_key: text("The administrator's key", "svc_admin_…"),
});

/** A new administrator's key, shown this once. */
export const newAdministratorRecord = newAdministrator.serializer((id: string, key: string) => ({
  admin_id: id,
  admin_key: key,
}));

/** An administrator, without the key. */
export const administratorRecord = administrator.serializer((administrator: Administrator) => ({
  admin_id: administrator.id,
  name: administrator.name,
  created_at: toIso(administrator.createdAt),
  revoked_at: isoOrNull(administrator.revokedAt),
}));
export const administratorsPage = operatorsPage("administrators", administrator);
export type AdministratorPageJson = WireOf<typeof administratorsPage>;
