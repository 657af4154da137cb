import { resolve } from "node:path";
import { isPostgres, type MoveStep, move } from "../../app/move.ts";
import { OperatorError } from "../../domain/errors.ts";
import { readOneLine } from "../../secrets/one-line-file.ts";
import { command, flag, text, UsageError } from "../command.ts";
import { requireInstallation } from "../installation.ts";
import { progressBar } from "../terminal/progress-bar.ts";

const NAMES: Record<MoveStep, string> = { copying: "Copying", comparing: "Comparing", photos: "Photos" };

export const moveCommand = command({
  description:
    "Copies all data to an empty PostgreSQL database, or from there to an empty data folder, and compares both: the " +
    "count of every table, the sum of every column, every row, every photo. Stop every server first: none may write " +
    "meanwhile. Nothing changes where the data comes from. One that is cut short leaves a target that no server " +
    "takes; the same command with --again begins anew.",
  options: {
    to: text("TARGET", "postgres://… of an empty database, or a folder that is empty or not there yet"),
    toFile: text(
      "FILE",
      "file whose one line is the database's address: the list of processes shows what --to says",
    ),
    again: flag("throw away what an earlier move that was cut short has left there"),
  },
  examples: [
    "mainstay move --to-file /etc/mainstay/storage-url",
    "mainstay move --to /var/lib/mainstay-again",
  ],
  async run(context, _arguments, { to: named, toFile, again }) {
    const { config, cwd, env, now, random, print } = context;
    const to = targetOf(named, toFile && resolve(cwd, toFile));
    requireInstallation(context);
    const bar = progressBar(context.isTty && !context.json, context.columns);
    const startedAt = performance.now();
    try {
      const moved = await move({
        ...{ config, env, random, again },
        clock: now,
        to: isPostgres(to) ? to : resolve(cwd, to),
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
          `Moved ${rows} rows and ${moved.photos} photos from ${moved.from} to ${moved.to}, and compared them (${(durationMs / 1000).toFixed(1)} s).`,
          isPostgres(to)
            ? "Set storage.url to it on every server, give each the same key (mainstay.key, or MAINSTAY_KEY_FILE), and start them."
            : `Take storage.url out of the configuration, and start with: mainstay serve --data-dir ${moved.to}`,
        ].join("\n"),
      );
    } finally {
      bar.stop();
    }
  },
});

function targetOf(named: string | undefined, file: string | undefined): string {
  if (named !== undefined && file !== undefined)
    throw new UsageError("--to and --to-file name a target each", "Keep one of them.");
  if (named !== undefined) return named;
  if (file === undefined)
    throw new UsageError(
      "--to is missing",
      "Name the folder to move to by --to, or a file with the database's address by --to-file.",
    );
  const address = readOneLine(file, "address");
  if (isPostgres(address)) return address;
  throw new OperatorError(
    `${file} holds no address of a PostgreSQL database`,
    "Write it on one line, as storage.url takes it. A folder is named by --to.",
  );
}
