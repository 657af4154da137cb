import type { EffectiveSetting } from "../config/effective-setting.ts";
import { reportedBy } from "./cluster-server-schema.ts";
import { flag, list, object, text } from "./definition/schema-field-types.ts";
import type { JsonOf } from "./definition/schema-type.ts";

const setting = object({
  key: text("Name of the setting", "limits.daily_budget"),
  value: text("Value in the syntax of the configuration file; null for a secret", "1000").orNull(),
  is_secret: flag("Whether the setting is a secret, whose value is never shown", false),
  is_set: flag("Whether the setting has a value"),
  origin: text(
    "Source of the value: `default`, a line of the file, an environment variable or a flag",
    "mainstay.toml:12",
  ),
  description: text("Its meaning, as in the manual", "Maximum number of items in a bulk request."),
  accepts: text("The values that it accepts", "a whole number from 1 to 100000"),
  default_value: text(
    "Its default in the syntax of the configuration file; null for a secret",
    "1000",
  ).orNull(),
});
export type SettingJson = JsonOf<typeof setting>;

export const settings = object({
  server: reportedBy,
  file: text("Path of the configuration file; null if there is none", "/etc/mainstay/mainstay.toml").orNull(),
  settings: list("All settings, in the order of the configuration file", setting),
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
