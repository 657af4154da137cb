import { resolve } from "node:path";
import { OperatorError } from "../domain/errors.ts";
import { readRegularFile } from "../files/durable-files.ts";
import { closestKeySpelling } from "../spelling/closest-spelling.ts";
import { defaultSettings } from "./default-settings.ts";
import type { SettingEntry, SettingsReading } from "./setting-entry.ts";
import {
  environmentVariableOf,
  isSettingKey,
  type SettingKey,
  settingFormat,
  settingKeys,
} from "./settings.ts";

/** Environment variables by name, as in `process.env`. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings in the environment. MAINSTAY_SERVER__PORT contains a value; MAINSTAY_SERVER__PORT_FILE names a file
 * that contains it, relative to `cwd`. MAINSTAY_ variables without a double underscore are not settings.
 */
export function readEnvironment(env: EnvironmentVariables, cwd: string): SettingsReading {
  const reading: SettingsReading = { entries: [], problems: [] };
  for (const [variable, text] of Object.entries(env).toSorted()) {
    if (text === undefined || !variable.startsWith("MAINSTAY_")) continue;
    const problem = variable.includes("__")
      ? readVariable(variable, text, env, cwd, reading.entries)
      : singleUnderscore(variable, text);
    if (problem) reading.problems.push(`${variable}: ${problem}`);
  }
  return reading;
}

/** Converts the text of a variable or a flag to an entry. Text that is not a valid number or boolean stays text. */
export function settingEntryFromText(key: SettingKey, text: string, origin: string): SettingEntry {
  const shown = JSON.stringify(text);
  const defaultValue = defaultSettings().get(key);
  const acceptsNumber = typeof defaultValue === "number" || settingFormat(key).isValid(Number(text));
  if (acceptsNumber && /^-?\d+(\.\d+)?$/.test(text)) return { key, value: Number(text), origin, shown };
  if (typeof defaultValue === "boolean" && /^(true|false)$/.test(text)) {
    return { key, value: text === "true", origin, shown };
  }
  if (!Array.isArray(defaultValue)) return { key, value: text, origin, shown };
  const value = text.split(",").flatMap((item) => item.trim() || []);
  return { key, value, origin, shown, items: value.map((item) => ({ origin, shown: JSON.stringify(item) })) };
}

/** Adds the variable's entry. Returns the problem if the variable is invalid. */
function readVariable(
  variable: string,
  text: string,
  env: EnvironmentVariables,
  cwd: string,
  entries: SettingEntry[],
) {
  const direct = settingNamed(variable);
  if (direct) {
    entries.push(settingEntryFromText(direct, text, variable));
    return;
  }
  const plain = variable.replace(/_FILE$/, "");
  const key = plain === variable ? undefined : settingNamed(plain);
  if (!key) return unknownVariable(variable);
  if (env[plain] !== undefined) return `cannot be used together with ${plain}`;
  const content = readValueFile(resolve(cwd, text));
  if ("problem" in content) return content.problem;
  entries.push(settingEntryFromText(key, content.value, variable));
  return;
}

function readValueFile(path: string): { value: string } | { problem: string } {
  try {
    const value = readRegularFile(path)
      .toString("utf8")
      .replace(/\r?\n$/, "");
    return value === "" ? { problem: `the file ${path} is empty` } : { value };
  } catch (error) {
    if (error instanceof OperatorError) return { problem: error.message };
    return { problem: `cannot read ${path} (${(error as NodeJS.ErrnoException).code})` };
  }
}

function settingNamed(variable: string): SettingKey | undefined {
  const key = variable.slice("MAINSTAY_".length).replace("__", ".").toLowerCase();
  return isSettingKey(key) && environmentVariableOf(key) === variable ? key : undefined;
}

function unknownVariable(variable: string): string {
  const suffix = variable.endsWith("_FILE") ? "_FILE" : "";
  const written = variable.slice("MAINSTAY_".length, variable.length - suffix.length);
  const meant = closestKeySpelling(written.replace("__", ".").toLowerCase(), settingKeys());
  return `unknown setting${meant ? `; did you mean ${environmentVariableOf(meant)}${suffix}?` : ""}`;
}

/** Rejects MAINSTAY_SERVER_PORT, which would silently be ignored. Kubernetes sets such variables to tcp://… for a service. */
function singleUnderscore(variable: string, text: string): string | undefined {
  if (/^(tcp|udp|sctp):\/\//.test(text)) return undefined;
  const meant = settingKeys().find((key) => environmentVariableOf(key).replace("__", "_") === variable);
  return meant && `unknown setting; did you mean ${environmentVariableOf(meant)}?`;
}
