import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { OperatorError } from "../domain/errors.ts";
import { contradictions, entryProblem } from "./check.ts";
import { ConfigError } from "./config-error.ts";
import { defaultValues } from "./defaults.ts";
import type { Entry, Reading } from "./entry.ts";
import { type Environment, readEnvironment, textEntry } from "./environment.ts";
import { type Config, camelCase, isSettingKey, PATH_SETTINGS, type SettingKey } from "./settings.ts";
import { readToml } from "./toml.ts";

/** A setting given on the command line, and by which flag. */
export type Override = { key: SettingKey; text: string; flag: string };

export type ConfigRequest = {
  /** The file that was asked for; when undefined, see `findConfigFile`. */
  file?: string | undefined;
  env: Environment;
  cwd: string;
  /** Where `etc/mainstay/mainstay.toml` is looked for, `/` for a program; nowhere when not given. */
  root?: string | undefined;
  overrides?: readonly Override[];
};

/**
 * The settings in force: defaults, then the file, then the environment, then the command line. Relative paths start
 * at the file's folder, or at `cwd` when they come from the environment or the command line, or there is no file.
 * @throws ConfigError with all that is wrong, or OperatorError when the file can't be read.
 */
export function loadConfig({ file: asked, env, cwd, root, overrides = [] }: ConfigRequest): Config {
  const file = findConfigFile({ file: asked, env, cwd, root });
  const fromFile = file ? readToml(readConfigFile(file), relative(cwd, file) || file) : NOTHING;
  const fromEnvironment = readEnvironment(env, cwd);
  const fromCommandLine = overrides.map(({ key, text, flag }) => textEntry(key, text, flag));

  const folder = file ? dirname(file) : cwd;
  const given: Placed[] = [
    ...[...defaultValues()].map(([key, value]) => ({
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
    ...given.flatMap((entry) => entryProblem(entry) ?? []),
  ];
  if (problems.length > 0) throw new ConfigError(problems);

  const chosen = new Map(given.flatMap((entry) => (isSettingKey(entry.key) ? [[entry.key, entry]] : [])));
  const clashes = contradictions(chosen);
  if (clashes.length > 0) throw new ConfigError(clashes);
  return assemble(chosen, file);
}

/** The file to read: the one asked for, else MAINSTAY_CONFIG, else the first of the usual ones that is there, else none. */
export function findConfigFile(request: Omit<ConfigRequest, "overrides">): string | undefined {
  const named = request.file ?? request.env.MAINSTAY_CONFIG;
  return named ? resolve(request.cwd, named) : configPlaces(request).find(isThere);
}

/** Where a configuration is looked for that nobody named, in this order. */
export function configPlaces({ cwd, root }: Pick<ConfigRequest, "cwd" | "root">): string[] {
  const ofSystem = root === undefined ? [] : [join(root, SYSTEM_CONFIG)];
  return [join(cwd, CONFIG_FILE_NAME), ...ofSystem];
}

export const CONFIG_FILE_NAME = "mainstay.toml";
const SYSTEM_CONFIG = "etc/mainstay/mainstay.toml";

/** Also where this user may not look: to go on with the defaults would be another installation than the one meant. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

type Placed = Entry & { folder: string };

const NOTHING: Reading = { entries: [], problems: [] };

function readConfigFile(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") {
      throw new OperatorError(
        `there is no configuration file ${file}`,
        `\`mainstay init --config ${file}\` writes one`,
      );
    }
    if (error instanceof TypeError) throw new OperatorError(`${file} is not UTF-8 text`, "save it as UTF-8");
    throw new OperatorError(
      `the configuration file ${file} can't be read (${code})`,
      "run as the user that it belongs to (such as sudo -u mainstay), or name another by --config",
    );
  }
}

function assemble(chosen: ReadonlyMap<SettingKey, Placed>, file: string | undefined): Config {
  const sections: Record<string, Record<string, unknown>> = {};
  for (const [key, { value, folder }] of chosen) {
    const [section, name] = key.split(".") as [string, string];
    sections[section] ??= {};
    const isPath = PATH_SETTINGS.has(key) && value !== "";
    sections[section][camelCase(name)] = isPath ? resolve(folder, value as string) : value;
  }
  const { storage, backup } = sections;
  if (backup!.dir === "") backup!.dir = join(storage!.dataDir as string, "backups");

  for (const section of Object.values(sections)) {
    for (const value of Object.values(section)) if (Array.isArray(value)) Object.freeze(value);
    Object.freeze(section);
  }
  // every key was chosen, since the defaults are complete, and every value has passed its type
  const origins = new Map([...chosen].map(([key, { origin }]) => [key, originOf(key, origin)]));
  return Object.freeze({ ...sections, file, origins }) as unknown as Config;
}

/** Without the setting's own name, which stands beside it. */
function originOf(key: SettingKey, origin: string): string {
  return origin === `default ${key}` ? "default" : origin.replace(new RegExp(`: ${RegExp.escape(key)}$`), "");
}
