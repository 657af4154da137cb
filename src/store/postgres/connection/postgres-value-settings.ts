import { StorageError } from "../../../domain/errors.ts";
import type { DatabaseAddress } from "./postgres-address.ts";

/**
 * The setting of a database or user with which values are stored or read otherwise, as "name = value"; null if there is none.
 * A connection cannot set it for itself: the next statement may run on another connection of a pooler.
 */
export const VALUE_SETTING = `CASE
  WHEN current_setting('array_nulls') = 'off' THEN 'array_nulls = off'
  WHEN current_setting('extra_float_digits')::int < 1 THEN 'extra_float_digits = ' || current_setting('extra_float_digits')
END`;

/** Returns the error of a connection that has such a setting. */
export function postgresValueSettingError(
  setting: string,
  { displayName, database, user }: DatabaseAddress,
): StorageError {
  const [name] = setting.split(" ");
  return new StorageError(
    `${displayName} has the setting ${setting}, with which numbers or missing values would be wrong`,
    `Reset it: ALTER DATABASE ${database} RESET ${name}; or ALTER ROLE ${user} RESET ${name}; or in postgresql.conf.`,
  );
}
