import type { EffectiveSetting } from "./effective-setting.ts";
import { explainConfig } from "./explain-config.ts";
import { type Config, camelCaseSettingName } from "./settings.ts";

/** Returns all settings with the origin of their values, in the order of the file. Values of secrets are omitted. */
export function effectiveSettings(config: Config): EffectiveSetting[] {
  const sections = config as unknown as Record<string, Record<string, unknown>>;
  return explainConfig().flatMap(({ settings }) =>
    settings.map(({ key, secret: isSecret, comment: description, type: accepts, default: usual }) => {
      const [section, name] = key.split(".") as [string, string];
      const value = sections[section]![camelCaseSettingName(name)];
      return {
        key,
        value: isSecret ? null : value,
        isSecret,
        isSet: value !== "" && !(Array.isArray(value) && value.length === 0),
        origin: config.origins.get(key)!,
        description,
        accepts,
        defaultValue: isSecret ? null : usual,
      };
    }),
  );
}
