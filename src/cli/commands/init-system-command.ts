import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import unit from "../../../packaging/mainstay.service" with { type: "text" };
import { EXAMPLE_CONFIG } from "../../config/default-settings.ts";
import { OperatorError } from "../../domain/errors.ts";
import { fileStorageError, openNewFile, readRegularFile, temporaryPath } from "../../files/durable-files.ts";
import { BUILD } from "../../server/server-build-info.ts";
import type { CommandContext } from "../command-context.ts";
import { completionScript, SHELLS, type Shell } from "../completion-script.ts";
import { manPageText } from "../man-page.ts";

const CONFIG_FILE = "/etc/mainstay/mainstay.toml";
const DATA_DIR = "/var/lib/mainstay";
const UNIT_FILE = "/etc/systemd/system/mainstay.service";
/** The folder for completion scripts and manual pages that no system package owns. */
const SHARE_DIR = "/usr/local/share";
const COMPLETIONS: Readonly<Record<Shell, string>> = {
  bash: "bash-completion/completions/mainstay",
  zsh: "zsh/site-functions/_mainstay",
  fish: "fish/vendor_completions.d/mainstay.fish",
};
const MAN_PAGE = "man/man1/mainstay.1";
const INSTALL_PATH = "/usr/local/bin/mainstay";

type SystemOptions = { root: string | undefined; user: string; force: boolean };
type Account = { uid: number; gid: number };
/** A file or folder with its mode and owner. */
type Planned = { path: string; mode: number; owner: Account };
type PlannedFile = Planned & {
  text: string;
  /** True for a file that only `init` writes, which it replaces without --force. */
  ours?: boolean;
};

/**
 * `mainstay init --system`: installs the files of a systemd service under a root folder. The service creates the key
 * file and the database at its first start, so that its user owns them. Everything is checked before anything is
 * written.
 */
export async function installSystemService(
  { cwd, print, allCommands }: CommandContext,
  options: SystemOptions,
): Promise<void> {
  const { user, force } = options;
  const root = resolve(cwd, options.root ?? "/");
  const isRoot = process.getuid?.() === 0;
  if (root === "/" && !isRoot)
    throw new OperatorError(
      "only root can set up a system service",
      "Run the command with sudo, or specify another root folder with --root to prepare an image or a package.",
    );
  const account = accountOf(root, user);
  const at = (path: string) => join(root, path);
  const superuser: Account = { uid: 0, gid: 0 };
  const service: Account = { uid: 0, gid: account.gid };
  const helps = new Map([
    ...SHELLS.map((shell) => [COMPLETIONS[shell], completionScript(shell)] as const),
    [MAN_PAGE, manPageText(await allCommands())],
  ]);
  const files: PlannedFile[] = [
    // The configuration may contain passwords: root writes it, the service reads it, nobody else can.
    { path: at(CONFIG_FILE), mode: 0o640, owner: service, text: configText() },
    { path: at(UNIT_FILE), mode: 0o644, owner: superuser, text: unitText(user, executablePath(root)) },
    ...[...helps].map(([path, text]) => ({
      path: at(join(SHARE_DIR, path)),
      mode: 0o644,
      owner: superuser,
      text,
      ours: true,
    })),
  ];
  const folders: Planned[] = [
    { path: dirname(at(CONFIG_FILE)), mode: 0o750, owner: service },
    { path: at(DATA_DIR), mode: 0o700, owner: account },
    ...[UNIT_FILE, ...[...helps.keys()].map((path) => join(SHARE_DIR, path))].map((path) => ({
      path: dirname(at(path)),
      mode: 0o755,
      owner: superuser,
    })),
  ];

  const states = files.map((file) => ({ file, state: stateOf(file) }));
  const changed = states.flatMap(({ file, state }) => (state === "different" ? [file.path] : []));
  if (changed.length > 0 && !force)
    throw new OperatorError(
      `${changed.join(" and ")} ${changed.length === 1 ? "is" : "are"} already present with other content; nothing was changed`,
      "Keep the existing file, or replace it with --force, which saves the old one with the suffix .old.",
    );
  for (const folder of folders) makeFolder(folder, isRoot);
  for (const { file, state } of states) writePlanned(file, state, isRoot);

  const nextSteps =
    root === "/" ? [...STEPS, firstPartner(user)] : [`systemctl --root=${root} enable mainstay`];
  const created = (i: number) => states[i]!.state !== "same";
  print(
    {
      config_file: at(CONFIG_FILE),
      config_created: created(0),
      data_dir: at(DATA_DIR),
      unit_file: at(UNIT_FILE),
      unit_created: created(1),
      help_files: [...helps.keys()].map((path) => at(join(SHARE_DIR, path))),
      user,
      owners_set: isRoot,
      next_steps: nextSteps,
    },
    [
      `Configuration  ${at(CONFIG_FILE)}${created(0) ? "" : " (already exists)"}`,
      `Data folder    ${at(DATA_DIR)}`,
      `Unit           ${at(UNIT_FILE)}${created(1) ? "" : " (already exists)"}`,
      `Man page       ${at(join(SHARE_DIR, MAN_PAGE))}, and completion for ${SHELLS.join(", ")}`,
      "",
      "Next:",
      ...nextSteps.map((step) => `  ${step}`),
      "",
      ...(isRoot
        ? []
        : [`Only root can set owners, so none were set. The data folder must be owned by ${user}.`]),
      `The first start creates ${DATA_DIR}/mainstay.key. Back up the key file off this machine. Without it, webhook ` +
        "secrets cannot be decrypted.",
    ].join("\n"),
  );
}

const STEPS = ["systemctl daemon-reload", "systemctl enable --now mainstay"];
const firstPartner = (user: string) =>
  `sudo -u ${user} mainstay partner create "NAME" --config ${CONFIG_FILE}`;

function configText(): string {
  return EXAMPLE_CONFIG.replace(/^data_dir = .*$/m, `data_dir = ${JSON.stringify(DATA_DIR)}`);
}

function unitText(user: string, executable: string): string {
  return unit
    .replace(/^User=.*$/m, () => `User=${user}`)
    .replace(/^ExecStart=\S+/m, () => `ExecStart=${executable}`);
}

/** Looks the user up in the root folder's /etc/passwd. Throws an OperatorError with the command that creates it. */
function accountOf(root: string, user: string): Account {
  const file = join(root, "etc/passwd");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const [, , uid, gid] = lines.map((line) => line.split(":")).find(([name]) => name === user) ?? [];
  if (uid === undefined || gid === undefined)
    throw new OperatorError(
      `user ${JSON.stringify(user)} not found in ${file}`,
      `Create it: useradd ${root === "/" ? "" : `--root ${root} `}--system --user-group --home-dir ${DATA_DIR} ` +
        `--no-create-home --shell /usr/sbin/nologin ${user}`,
    );
  if (Number(uid) === 0)
    throw new OperatorError(
      `${user} is root; the server must not run as root`,
      "Specify another user with --user.",
    );
  return { uid: Number(uid), gid: Number(gid) };
}

/** Returns the path of this executable as seen from the root folder. */
function executablePath(root: string): string {
  if (BUILD.commit === "dev")
    throw new OperatorError(
      "init --system needs the compiled executable, but this process runs from source",
      "Build it (bun build.ts), install it, and run the installed executable.",
    );
  const within = relative(root, process.execPath);
  const place = within.startsWith("..") ? process.execPath : join("/", within);
  const isHidden = /^\/(home|root|tmp|var\/tmp|run\/user|dev)\//.test(place);
  if (isHidden || !/^[\w./+@-]+$/.test(place))
    throw new OperatorError(
      isHidden
        ? `the service could not access its executable at ${place}: the unit hides that folder`
        : `the path ${JSON.stringify(place)} cannot be used in a systemd unit`,
      `Install the executable and run the installed one: install -D -m 0755 ${process.execPath} ${join(root, INSTALL_PATH)}`,
    );
  return place;
}

function stateOf({ path, text, ours }: PlannedFile): "absent" | "same" | "different" {
  try {
    if (readRegularFile(path).toString("utf8") === text) return "same";
    return ours ? "absent" : "different";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "absent";
    throw fileStorageError(error, path);
  }
}

function makeFolder({ path, mode, owner }: Planned, isRoot: boolean): void {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  try {
    for (const folder of missing) {
      mkdirSync(folder);
      chmodSync(folder, 0o755); // independent of the umask
    }
    setModeAndOwner({ path, mode, owner }, isRoot);
  } catch (error) {
    throw fileStorageError(error, path);
  }
}

/** Writes to a temporary name first, so that a full disk leaves no partial file. */
function writePlanned(file: PlannedFile, state: ReturnType<typeof stateOf>, isRoot: boolean): void {
  const { path, text, mode, owner } = file;
  try {
    if (state === "same") {
      setModeAndOwner(file, isRoot);
      return;
    }
    const written = temporaryPath(path);
    const descriptor = openNewFile(written);
    try {
      writeFileSync(descriptor, text);
      // Not by the name, which another user may have replaced in a folder of theirs.
      fchmodSync(descriptor, mode);
      if (isRoot) fchownSync(descriptor, owner.uid, owner.gid);
      if (state === "different") renameSync(path, `${path}.old`);
      renameSync(written, path);
    } finally {
      closeSync(descriptor);
      rmSync(written, { force: true });
    }
  } catch (error) {
    throw fileStorageError(error, path);
  }
}

function setModeAndOwner({ path, mode, owner }: Planned, isRoot: boolean): void {
  chmodSync(path, mode);
  if (isRoot) chownSync(path, owner.uid, owner.gid);
}
