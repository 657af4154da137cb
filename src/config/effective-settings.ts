import type { EffectiveSetting } from "../administration/effective-setting.ts";
import { type Config, camelCase, SECRET_SETTINGS, settingKeys } from "./settings.ts";

/** Returns all settings with the origin of their values, in the order of the file. Values of secrets are omitted. */
export function effectiveSettings(config: Config): EffectiveSetting[] {
  return settingKeys().map((key) => {
    const [section, name] = key.split(".") as [string, string];
    const sections = config as unknown as Record<string, Record<string, unknown>>;
    const value = sections[section]![camelCase(name)];
    const isSecret = SECRET_SETTINGS.has(key);
    const isSet = value !== "" && !(Array.isArray(value) && value.length === 0);
    return { key, value: isSecret ? null : value, isSecret, isSet, origin: config.origins.get(key)! };
  });
}
