import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { EXAMPLE_CONFIG } from "../../config/default-settings.ts";
import { CONFIG_FILE_NAME, findConfigFile, loadConfig } from "../../config/load-config.ts";
import { OperatorError } from "../../domain/errors.ts";
import { fileStorageError, readRegularFile } from "../../files/durable-files.ts";
import { isMasterKeyProvided, masterKeyFilePath } from "../../secrets/master-key.ts";
import { openServerDataFolder } from "../../server/server-data-folder.ts";
import { lockServerDataFolderForMigration } from "../../server/server-instance-lock.ts";
import { defineCommand, switchOption, textOption, UsageError, valueOption } from "../command.ts";
import { installSystemService } from "./init-system-command.ts";

/**
 * `mainstay init`. Each step keeps what already exists, so a run that failed halfway, such as on a full disk, can be
 * repeated.
 */
export const initCommand = defineCommand({
  description:
    "Writes the configuration to --config, MAINSTAY_CONFIG or ./mainstay.toml. An existing file is never changed; if " +
    "its content differs, the command fails.\n" +
    "With --system, prepares a systemd service instead: /etc/mainstay/mainstay.toml, /var/lib/mainstay, a unit that " +
    "starts this executable at its current path, a manual page and shell completion. The service creates the key " +
    "file and the database at its first start.",
  options: {
    system: switchOption("prepare a systemd service: configuration, data folder and unit"),
    root: textOption("DIR", "with --system: root folder of an image or a package (default: /)"),
    user: valueOption("NAME", "with --system: user that runs the service (default: mainstay)", (typed) => {
      if (/^[a-z_][\w.-]*$/i.test(typed)) return typed;
      throw new UsageError(`expected a user name such as mainstay, got ${JSON.stringify(typed)}`);
    }),
    force: switchOption("with --system: replace files that differ; the old ones are kept as .old"),
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
        throw new UsageError(
          "--system cannot be used with --config or --data-dir",
          "Remove --config and --data-dir.",
        );
      return installSystemService(context, { root, user: user ?? "mainstay", force });
    }
    if (root !== undefined || user !== undefined || force)
      throw new UsageError("--root, --user and --force require --system", "Add --system, or remove them.");
    // Without `root`, /etc/mainstay is not searched: only `--system` writes there.
    const file = findConfigFile({ file: given.config, env, cwd }) ?? join(cwd, CONFIG_FILE_NAME);
    const configCreated = writeConfig(file, configText(given.dataDir && resolve(cwd, given.dataDir)));
    const config = loadConfig({ file, env, cwd });
    const { dataDir } = config.storage;
    const keyFile = isMasterKeyProvided(env) ? null : masterKeyFilePath(dataDir);
    const hadKey = keyFile !== null && existsSync(keyFile);
    const { store } = await openServerDataFolder({
      config,
      env,
      clock: now,
      random,
      lockBeforeMigration: lockServerDataFolderForMigration,
    });
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
        `Configuration  ${file}${configCreated ? "" : " (already exists)"}`,
        `Data folder    ${dataDir}`,
        keyFile === null
          ? "Key            from the environment"
          : `Key file       ${keyFile}${keyCreated ? "" : " (already exists)"}`,
        "",
        "Back up the key file off this machine. Without it, webhook secrets cannot be decrypted.",
        `Start with: mainstay serve --config ${file}`,
      ].join("\n"),
    );
  },
});

/** Returns the example configuration, with the data folder if specified. */
function configText(dataDir: string | undefined): string {
  if (dataDir === undefined) return EXAMPLE_CONFIG;
  return EXAMPLE_CONFIG.replace(/^data_dir = .*$/m, () => `data_dir = ${JSON.stringify(dataDir)}`);
}

/** Writes the file. Returns false if it already exists with the same text. */
function writeConfig(file: string, text: string): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    throw new OperatorError(
      `cannot create the folder of the configuration ${file} (${(error as NodeJS.ErrnoException).code})`,
      "Specify a file in a writable folder with --config. No parent of it may be a file.",
    );
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`${file} is a folder`, "Specify a file in it with --config.");
  try {
    // 0600, since the configuration may contain passwords
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw fileStorageError(error, file);
    if (readRegularFile(file).toString("utf8") === text) return false;
    throw new OperatorError(
      `${file} exists and differs from what init would write; it was not changed`,
      "Specify another file with --config, or move this one away.",
    );
  }
}
