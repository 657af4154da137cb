import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { openDataFolder } from "../../app/data-folder.ts";
import { EXAMPLE_CONFIG } from "../../config/defaults.ts";
import { CONFIG_FILE_NAME, findConfigFile, loadConfig } from "../../config/load.ts";
import { OperatorError, refusedWrite } from "../../domain/errors.ts";
import { keyFilePath, keyIsInEnvironment } from "../../secrets/master-key.ts";
import { command, flag, text, UsageError, value } from "../command.ts";
import { initSystem } from "./init-system.ts";

/**
 * `mainstay init`. Each step leaves alone what is there already, so a run that failed half way, say on a full disk,
 * is simply repeated.
 */
export const initCommand = command({
  description:
    "Writes to --config, else to MAINSTAY_CONFIG, else to ./mainstay.toml. " +
    "A file that is there already is never changed, and is refused unless it is what would be written.\n" +
    "With --system it prepares a systemd service instead: /etc/mainstay/mainstay.toml, /var/lib/mainstay and the " +
    "unit, which starts this executable where it is, with a manual page and completion for shells. The service makes key file and database at its first start.",
  options: {
    system: flag("prepare a systemd service: configuration, data folder and unit"),
    root: text("DIR", "with --system: the root folder of an image or a package (default: /)"),
    user: value("NAME", "with --system: the user that runs the service (default: mainstay)", (typed) => {
      if (/^[a-z_][\w.-]*$/i.test(typed)) return typed;
      throw new UsageError(`expected a user's name such as mainstay, got ${JSON.stringify(typed)}`);
    }),
    force: flag("with --system: take the place of files that differ, which are kept as .old"),
  },
  examples: [
    "mainstay init",
    "mainstay init --config /srv/mainstay/mainstay.toml --data-dir /srv/mainstay/data",
    "sudo mainstay init --system",
  ],
  async run(context, _arguments, { system, root, user, force }) {
    const { given, env, cwd, now, random, print } = context;
    if (system) {
      if (given.config !== undefined || given.dataDir !== undefined)
        throw new UsageError("--system has its own places", "Leave --config and --data-dir out.");
      return initSystem(context, { root, user: user ?? "mainstay", force });
    }
    if (root !== undefined || user !== undefined || force)
      throw new UsageError(
        "--root, --user and --force belong to --system",
        "Name that too, or leave them out.",
      );
    // Never the system's own, which is for `--system` to make.
    const file = findConfigFile({ file: given.config, env, cwd }) ?? join(cwd, CONFIG_FILE_NAME);
    const configCreated = writeConfig(file, configText(given.dataDir && resolve(cwd, given.dataDir)));
    const config = loadConfig({ file, env, cwd });
    const { dataDir } = config.storage;
    const keyFile = keyIsInEnvironment(env) ? null : keyFilePath(dataDir);
    const hadKey = keyFile !== null && existsSync(keyFile);
    const { store } = await openDataFolder({ config, env, clock: now, random });
    await store.close();
    const keyCreated = keyFile !== null && !hadKey;
    print(
      {
        config_file: file,
        config_created: configCreated,
        data_dir: dataDir,
        key_file: keyFile,
        key_created: keyCreated,
      },
      [
        `Configuration  ${file}${configCreated ? "" : " (was there already)"}`,
        `Data folder    ${dataDir}`,
        keyFile === null
          ? "Key            from the environment"
          : `Key file       ${keyFile}${keyCreated ? "" : " (was there already)"}`,
        "",
        "Keep a copy of the key apart from this machine: without it, stored webhook secrets can't be read.",
        `Start with: mainstay serve --config ${file}`,
      ].join("\n"),
    );
  },
});

/** The example configuration, naming the data folder when one was asked for. */
function configText(dataDir: string | undefined): string {
  if (dataDir === undefined) return EXAMPLE_CONFIG;
  return EXAMPLE_CONFIG.replace(/^data_dir = .*$/m, () => `data_dir = ${JSON.stringify(dataDir)}`);
}

/** Whether the file was made; false when it was there with the same text. */
function writeConfig(file: string, text: string): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    throw new OperatorError(
      `the folder of the configuration ${file} cannot be made (${(error as NodeJS.ErrnoException).code})`,
      "Name a file in a folder that you may write to, with --config. No part of its path may be a file.",
    );
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`${file} is a folder`, "Name a file in it, with --config.");
  try {
    // 0600, since an operator may write passwords into it
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw refusedWrite(error, file);
    if (readFileSync(file, "utf8") === text) return false;
    throw new OperatorError(
      `${file} exists and differs from what init would write; it was not changed`,
      "Name another file by --config, or move this one away.",
    );
  }
}
