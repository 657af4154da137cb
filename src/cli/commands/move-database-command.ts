import { resolve } from "node:path";
import { OperatorError } from "../../domain/errors.ts";
import { readOneLineSecret } from "../../secrets/secret-file.ts";
import {
  isServerMoveToPostgres,
  type MoveStep,
  moveServerDataToStorage,
} from "../../server/server-data-move-to-storage.ts";
import { defineCommand, switchOption, textOption, UsageError } from "../command.ts";
import { requireCommandInstallation } from "../command-installation.ts";
import { createTerminalProgressBar } from "../terminal/terminal-progress-bar.ts";

const NAMES: Record<MoveStep, string> = { copying: "Copying", comparing: "Comparing", photos: "Photos" };

export const moveCommand = defineCommand({
  description:
    "Copies all data to an empty PostgreSQL database, or from PostgreSQL to an empty data folder, and compares every " +
    "table, row and photo. Stop all servers first. The source is not changed. If interrupted, run the command again " +
    "with --again to start over; no server uses an incomplete target.",
  options: {
    to: textOption("TARGET", "postgres://… of an empty database, or an empty or new folder"),
    toFile: textOption(
      "FILE",
      "file with the database URL on one line (--to is visible in the process list)",
    ),
    again: switchOption("discard the target of an interrupted move and start over"),
  },
  examples: [
    "mainstay move --to-file /etc/mainstay/storage-url",
    "mainstay move --to /var/lib/mainstay-again",
  ],
  async run(context, _arguments, { to: named, toFile, again }) {
    const { config, cwd, env, now, random, print } = context;
    const to = targetOf(named, toFile && resolve(cwd, toFile));
    requireCommandInstallation(context);
    const bar = createTerminalProgressBar(context.isTty && !context.json, context.columns);
    const startedAt = performance.now();
    try {
      const moved = await moveServerDataToStorage({
        config,
        env,
        random,
        again,
        clock: now,
        to: isServerMoveToPostgres(to) ? to : resolve(cwd, to),
        onStep: (step, done, total) => bar.show(NAMES[step], done, total),
      });
      bar.stop();
      const rows = Object.values(moved.rows).reduce((sum, count) => sum + count, 0);
      const durationMs = Math.round(performance.now() - startedAt);
      print(
        {
          from: moved.from,
          to: moved.to,
          tables: moved.rows,
          rows,
          photos: moved.photos,
          duration_ms: durationMs,
        },
        [
          `Moved and verified ${rows} rows and ${moved.photos} photos from ${moved.from} to ${moved.to} (${(durationMs / 1000).toFixed(1)} s).`,
          isServerMoveToPostgres(to)
            ? "On every server, set storage.url to this database and install the same key (mainstay.key or MAINSTAY_KEY_FILE). Then start the servers."
            : `Remove storage.url from the configuration. Start with: mainstay serve --data-dir ${moved.to}`,
        ].join("\n"),
      );
    } finally {
      bar.stop();
    }
  },
});

function targetOf(named: string | undefined, file: string | undefined): string {
  if (named !== undefined && file !== undefined)
    throw new UsageError("--to and --to-file cannot be used together", "Remove one of them.");
  if (named !== undefined) return named;
  if (file === undefined)
    throw new UsageError(
      "--to is required",
      "Specify the target folder with --to, or a file with the database URL with --to-file.",
    );
  const address = readOneLineSecret(file, "database address");
  if (isServerMoveToPostgres(address)) return address;
  throw new OperatorError(
    `${file} does not contain a PostgreSQL URL`,
    "Write the URL on one line, in the format of storage.url. To move to a folder, use --to.",
  );
}
