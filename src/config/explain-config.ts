import { defaultSettings, EXAMPLE_CONFIG } from "./default-settings.ts";
import {
  environmentVariableOf,
  isSettingKey,
  SECRET_SETTINGS,
  type SettingKey,
  settingFormat,
} from "./settings.ts";

/** A setting as the manual and the console explain it. */
export type SettingExplanation = {
  key: SettingKey;
  default: unknown;
  /** The accepted values, such as "a whole number from 0 to 65535". */
  type: string;
  /** The environment variable that overrides it. */
  variable: string;
  secret: boolean;
  comment: string;
};

type SectionExplanation = { name: string; comment: string; settings: SettingExplanation[] };

let explained: readonly SectionExplanation[] | undefined;

/** Returns all sections and settings with their comments, in the order of `config.example.toml`. */
export function explainConfig(): readonly SectionExplanation[] {
  explained ??= readExplanations();
  return explained;
}

function readExplanations(): SectionExplanation[] {
  const sections: SectionExplanation[] = [];
  let comment: string[] = [];
  for (const line of EXAMPLE_CONFIG.split("\n")) {
    const section = /^\[(\w+)\]$/.exec(line)?.[1];
    const name = /^(\w+) = /.exec(line)?.[1];
    if (line.startsWith("#")) comment.push(line.slice(1).trim());
    else {
      if (section) sections.push({ name: section, comment: comment.join(" "), settings: [] });
      if (name)
        sections.at(-1)!.settings.push(explain(`${sections.at(-1)!.name}.${name}`, comment.join(" ")));
      comment = [];
    }
  }
  return sections;
}

function explain(key: string, comment: string): SettingExplanation {
  if (!isSettingKey(key)) throw new Error(`config.example.toml has the unknown key ${key}`);
  return {
    key,
    default: defaultSettings().get(key),
    type: settingFormat(key).expected,
    variable: environmentVariableOf(key),
    secret: SECRET_SETTINGS.has(key),
    comment,
  };
}
