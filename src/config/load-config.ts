import { statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { OperatorError } from "../domain/errors.ts";
import { readRegularFile } from "../files/durable-files.ts";
import { ConfigError } from "./config-error.ts";
import { readConfigToml } from "./config-toml.ts";
import { defaultSettings } from "./default-settings.ts";
import { type EnvironmentVariables, readEnvironment, settingEntryFromText } from "./environment-settings.ts";
import type { SettingEntry, SettingsReading } from "./setting-entry.ts";
import { settingContradictions, settingEntryProblem } from "./setting-entry-problems.ts";
import {
  type Config,
  camelCaseSettingName,
  isSettingKey,
  PATH_SETTINGS,
  type SettingKey,
} from "./settings.ts";

/** A setting on the command line, with its flag. */
export type Override = { key: SettingKey; text: string; flag: string };

export type ConfigRequest = {
  /** The specified file; if undefined, see `findConfigFile`. */
  file?: string | undefined;
  env: EnvironmentVariables;
  cwd: string;
  /** The folder under which `etc/mainstay/mainstay.toml` is searched (`/` for the program); not searched if undefined. */
  root?: string | undefined;
  overrides?: readonly Override[];
};

/**
 * Returns the effective settings: defaults, overridden by the file, the environment and the command line, in this order.
 * Relative paths are resolved against the file's folder, or against `cwd` if they come from the environment or the
 * command line, or if there is no file.
 * @throws ConfigError with all problems, or OperatorError if the file cannot be read.
 */
export function loadConfig({ file: asked, env, cwd, root, overrides = [] }: ConfigRequest): Config {
  const file = findConfigFile({ file: asked, env, cwd, root });
  const fromFile = file ? readConfigToml(readConfigFile(file), relative(cwd, file) || file) : EMPTY;
  const fromEnvironment = readEnvironment(env, cwd);
  const fromCommandLine = overrides.map(({ key, text, flag }) => settingEntryFromText(key, text, flag));

  const folder = file ? dirname(file) : cwd;
  const given: Placed[] = [
    ...[...defaultSettings()].map(([key, value]) => ({
      key,
      value,
      origin: `default ${key}`,
      shown: "",
      folder,
    })),
    ...fromFile.entries.map((entry) => ({ ...entry, folder })),
    ...[...fromEnvironment.entries, ...fromCommandLine].map((entry) => ({ ...entry, folder: cwd })),
  ];
  const problems = [
    ...fromFile.problems,
    ...fromEnvironment.problems,
    ...given.flatMap((entry) => settingEntryProblem(entry) ?? []),
  ];
  if (problems.length > 0) throw new ConfigError(problems);

  const chosen = new Map(given.flatMap((entry) => (isSettingKey(entry.key) ? [[entry.key, entry]] : [])));
  const clashes = settingContradictions(chosen);
  if (clashes.length > 0) throw new ConfigError(clashes);
  return assemble(chosen, file);
}

/** Returns the file to read: the specified one, else MAINSTAY_CONFIG, else the first existing default file, if any. */
export function findConfigFile(request: Omit<ConfigRequest, "overrides">): string | undefined {
  const named = request.file ?? request.env.MAINSTAY_CONFIG;
  return named ? resolve(request.cwd, named) : defaultConfigFiles(request).find(mayExist);
}

/** Returns the default configuration files, in order of precedence. */
export function defaultConfigFiles({ cwd, root }: Pick<ConfigRequest, "cwd" | "root">): string[] {
  const systemFiles = root === undefined ? [] : [join(root, SYSTEM_CONFIG)];
  return [join(cwd, CONFIG_FILE_NAME), ...systemFiles];
}

export const CONFIG_FILE_NAME = "mainstay.toml";
const SYSTEM_CONFIG = "etc/mainstay/mainstay.toml";

/** Returns true also if this user may not access the file: using the defaults instead would open another installation. */
function mayExist(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

type Placed = SettingEntry & { folder: string };

const EMPTY: SettingsReading = { entries: [], problems: [] };

/** The longest file that is parsed, in bytes: parsing one of 4 MB, such as data given by mistake, can take half a minute. */
const MAX_FILE_BYTES = 1024 * 1024;

function readConfigFile(file: string): string {
  try {
    if (statSync(file).size > MAX_FILE_BYTES)
      throw new OperatorError(
        `the configuration file ${file} is larger than 1 MiB`,
        "Specify a configuration file with --config; `mainstay init --config NEW.toml` writes one with every setting.",
      );
    return new TextDecoder("utf-8", { fatal: true }).decode(readRegularFile(file));
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") {
      throw new OperatorError(
        `Configuration file not found: ${file}`,
        `Create it with \`mainstay init --config ${file}\`.`,
      );
    }
    if (error instanceof TypeError) throw new OperatorError(`${file} is not UTF-8 text`, "Save it as UTF-8.");
    throw new OperatorError(
      `cannot read the configuration file ${file} (${code})`,
      "Run as its owner (such as with sudo -u mainstay), or specify another file with --config.",
    );
  }
}

function assemble(chosen: ReadonlyMap<SettingKey, Placed>, file: string | undefined): Config {
  const sections: Record<string, Record<string, unknown>> = {};
  for (const [key, { value, folder }] of chosen) {
    const [section, name] = key.split(".") as [string, string];
    sections[section] ??= {};
    const isPath = PATH_SETTINGS.has(key) && value !== "";
    sections[section][camelCaseSettingName(name)] = isPath ? resolve(folder, value as string) : value;
  }
  const { storage, backup } = sections;
  if (backup!.dir === "") backup!.dir = join(storage!.dataDir as string, "backups");

  for (const section of Object.values(sections)) {
    for (const value of Object.values(section)) if (Array.isArray(value)) Object.freeze(value);
    Object.freeze(section);
  }
  // The defaults are complete and every value has been validated, so the cast is safe.
  const origins = new Map([...chosen].map(([key, { origin }]) => [key, originOf(key, origin)]));
  return Object.freeze({ ...sections, file, origins }) as unknown as Config;
}

/** Removes the setting's own name, which is shown beside the origin. */
function originOf(key: SettingKey, origin: string): string {
  return origin === `default ${key}` ? "default" : origin.replace(new RegExp(`: ${RegExp.escape(key)}$`), "");
}
