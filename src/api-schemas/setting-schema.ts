import type { EffectiveSetting } from "../config/effective-setting.ts";
import { reportedBy } from "./cluster-server-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { flagSchema, listSchema, objectSchema, textSchema } from "./definition/schema-field-types.ts";

const setting = objectSchema({
  key: textSchema("Name of the setting", "limits.daily_budget"),
  value: textSchema("Value in the syntax of the configuration file; null for a secret", "1000").orNull(),
  is_secret: flagSchema("Whether the setting is a secret, whose value is never shown", false),
  is_set: flagSchema("Whether the setting has a value"),
  origin: textSchema(
    "Source of the value: `default`, a line of the file, an environment variable or a flag",
    "mainstay.toml:12",
  ),
  description: textSchema("Its meaning, as in the manual", "Maximum number of items in a bulk request."),
  accepts: textSchema("The values that it accepts", "a whole number from 1 to 100000"),
  default_value: textSchema(
    "Its default in the syntax of the configuration file; null for a secret",
    "1000",
  ).orNull(),
});
export type SettingJson = JsonOf<typeof setting>;

export const settings = objectSchema({
  server: reportedBy,
  file: textSchema(
    "Path of the configuration file; null if there is none",
    "/etc/mainstay/mainstay.toml",
  ).orNull(),
  settings: listSchema("All settings, in the order of the configuration file", setting),
});
export type SettingsJson = JsonOf<typeof settings>;

export const serializeSettings = settings.serializer(
  (server: string, file: string | undefined, all: readonly EffectiveSetting[]) => ({
    server,
    file: file ?? null,
    settings: all.map((effectiveSetting) => ({
      key: effectiveSetting.key,
      value: effectiveSetting.isSecret ? null : JSON.stringify(effectiveSetting.value),
      is_secret: effectiveSetting.isSecret,
      is_set: effectiveSetting.isSet,
      origin: effectiveSetting.origin,
      description: effectiveSetting.description,
      accepts: effectiveSetting.accepts,
      default_value: effectiveSetting.isSecret ? null : JSON.stringify(effectiveSetting.defaultValue),
    })),
  }),
);
