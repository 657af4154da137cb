import type { EffectiveSetting } from "../administration/effective-setting.ts";
import { flag, list, object, text } from "./schema/fields.ts";
import type { WireOf } from "./schema/wire-type.ts";
import { toldBy } from "./server.ts";

const setting = object({
  key: text("The setting's name", "limits.daily_budget"),
  value: text("Its value as the configuration file would have it; null for a secret", "1000").orNull(),
  is_secret: flag("Whether its value is never shown", false),
  is_set: flag("Whether it holds anything"),
  origin: text("Where it was given: `default`, a line of the file, a variable or a flag", "mainstay.toml:12"),
});
export type SettingJson = WireOf<typeof setting>;

export const settings = object({
  server: toldBy,
  file: text("The configuration file; null when there is none", "/etc/mainstay/mainstay.toml").orNull(),
  settings: list("Every setting, in the order of the file", setting),
});
export type SettingsJson = WireOf<typeof settings>;

export const settingsView = settings.serializer(
  (server: string, file: string | undefined, all: readonly EffectiveSetting[]) => ({
    server,
    file: file ?? null,
    settings: all.map((one) => ({
      key: one.key,
      value: one.isSecret ? null : JSON.stringify(one.value),
      is_secret: one.isSecret,
      is_set: one.isSet,
      origin: one.origin,
    })),
  }),
);
