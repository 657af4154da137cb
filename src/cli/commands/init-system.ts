import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import unit from "../../../packaging/mainstay.service" with { type: "text" };
import { BUILD } from "../../app/build-info.ts";
import { EXAMPLE_CONFIG } from "../../config/defaults.ts";
import { OperatorError, refusedWrite } from "../../domain/errors.ts";
import { completionScript, SHELLS, type Shell } from "../completion-script.ts";
import type { Context } from "../context.ts";
import { manPage } from "../man-page.ts";

const CONFIG_FILE = "/etc/mainstay/mainstay.toml";
const DATA_DIR = "/var/lib/mainstay";
const UNIT_FILE = "/etc/systemd/system/mainstay.service";
/** Where shells and `man` look for what did not come with the system. */
const SHARED = "/usr/local/share";
const COMPLETIONS: Readonly<Record<Shell, string>> = {
  bash: "bash-completion/completions/mainstay",
  zsh: "zsh/site-functions/_mainstay",
  fish: "fish/vendor_completions.d/mainstay.fish",
};
const MAN_PAGE = "man/man1/mainstay.1";
const USUAL_PLACE = "/usr/local/bin/mainstay";

type SystemOptions = { root: string | undefined; user: string; force: boolean };
type Account = { uid: number; gid: number };
/** A file or folder with what it must be. Owned by root, in the service's group where `group` says so. */
type Planned = { path: string; mode: number; owner: Account };
type PlannedFile = Planned & {
  text: string;
  /** Nobody writes into it but us: another version's is simply replaced. */
  ours?: boolean;
};

/**
 * `mainstay init --system`: what a systemd service needs, below a root folder. The key file and the database are made
 * by the service itself at its first start, so that they are its user's. All is looked at before anything is written.
 */
export async function initSystem(
  { cwd, print, allCommands }: Context,
  options: SystemOptions,
): Promise<void> {
  const { user, force } = options;
  const root = resolve(cwd, options.root ?? "/");
  const isRoot = process.getuid?.() === 0;
  if (root === "/" && !isRoot)
    throw new OperatorError(
      "only root may set up a system service",
      "Run it by sudo, or name another folder by --root to prepare an image or a package.",
    );
  const account = accountOf(root, user);
  const at = (path: string) => join(root, path);
  const superuser: Account = { uid: 0, gid: 0 };
  const service: Account = { uid: 0, gid: account.gid };
  const helps = new Map([
    ...SHELLS.map((shell) => [COMPLETIONS[shell], completionScript(shell)] as const),
    [MAN_PAGE, manPage(await allCommands())],
  ]);
  const files: PlannedFile[] = [
    // A password may be written into it: for root and the service only, and not for the service to change.
    { path: at(CONFIG_FILE), mode: 0o640, owner: service, text: configText() },
    { path: at(UNIT_FILE), mode: 0o644, owner: superuser, text: unitText(user, placeOfExecutable(root)) },
    ...[...helps].map(([path, text]) => ({
      path: at(join(SHARED, path)),
      mode: 0o644,
      owner: superuser,
      text,
      ours: true,
    })),
  ];
  const folders: Planned[] = [
    { path: dirname(at(CONFIG_FILE)), mode: 0o750, owner: service },
    { path: at(DATA_DIR), mode: 0o700, owner: account },
    ...[UNIT_FILE, ...[...helps.keys()].map((path) => join(SHARED, path))].map((path) => ({
      path: dirname(at(path)),
      mode: 0o755,
      owner: superuser,
    })),
  ];

  const states = files.map((file) => ({ file, state: stateOf(file) }));
  const changed = states.flatMap(({ file, state }) => (state === "different" ? [file.path] : []));
  if (changed.length > 0 && !force)
    throw new OperatorError(
      `${changed.join(" and ")} ${changed.length === 1 ? "is" : "are"} there, and not as init would write; nothing was changed`,
      "Keep it, or let --force take its place; what is there now is then kept beside it, with .old at its end.",
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
      help_files: [...helps.keys()].map((path) => at(join(SHARED, path))),
      user,
      owners_set: isRoot,
      next_steps: nextSteps,
    },
    [
      `Configuration  ${at(CONFIG_FILE)}${created(0) ? "" : " (was there already)"}`,
      `Data folder    ${at(DATA_DIR)}`,
      `Unit           ${at(UNIT_FILE)}${created(1) ? "" : " (was there already)"}`,
      `Man page       ${at(join(SHARED, MAN_PAGE))}, and completion for ${SHELLS.join(", ")}`,
      "",
      "Next:",
      ...nextSteps.map((step) => `  ${step}`),
      "",
      ...(isRoot ? [] : [`Owners were not set, since only root may. The data folder must be ${user}'s.`]),
      `The first start makes ${DATA_DIR}/mainstay.key. Keep a copy of it apart from this machine: without it, stored ` +
        "webhook secrets can't be read.",
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

/** The user as the root folder's own /etc/passwd has it. Throws an OperatorError that says how to make it. */
function accountOf(root: string, user: string): Account {
  const file = join(root, "etc/passwd");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const [, , uid, gid] = lines.map((line) => line.split(":")).find(([name]) => name === user) ?? [];
  if (uid === undefined || gid === undefined)
    throw new OperatorError(
      `there is no user ${JSON.stringify(user)} in ${file}`,
      `Make it: useradd ${root === "/" ? "" : `--root ${root} `}--system --user-group --home-dir ${DATA_DIR} ` +
        `--no-create-home --shell /usr/sbin/nologin ${user}`,
    );
  if (Number(uid) === 0)
    throw new OperatorError(`${user} is root, which a server must not be`, "Name another user by --user.");
  return { uid: Number(uid), gid: Number(gid) };
}

/** Where this executable is, seen from the root folder. */
function placeOfExecutable(root: string): string {
  if (BUILD.commit === "dev")
    throw new OperatorError(
      "a service starts the executable, and this is run from its sources",
      "Build it (bun build.ts), install it, and run that one.",
    );
  const within = relative(root, process.execPath);
  const place = within.startsWith("..") ? process.execPath : join("/", within);
  const isHidden = /^\/(home|root|tmp|var\/tmp|run\/user|dev)\//.test(place);
  if (isHidden || !/^[\w./+@-]+$/.test(place))
    throw new OperatorError(
      isHidden
        ? `the service could not see its executable in ${place}: the unit hides that folder from it`
        : `a unit cannot name the executable ${JSON.stringify(place)}`,
      `Install it and run that one: install -D -m 0755 ${process.execPath} ${join(root, USUAL_PLACE)}`,
    );
  return place;
}

function stateOf({ path, text, ours }: PlannedFile): "absent" | "same" | "different" {
  try {
    if (readFileSync(path, "utf8") === text) return "same";
    return ours ? "absent" : "different";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "absent";
    throw refusedWrite(error, path);
  }
}

function makeFolder({ path, mode, owner }: Planned, isRoot: boolean): void {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  try {
    for (const folder of missing) {
      mkdirSync(folder);
      chmodSync(folder, 0o755); // whatever the umask
    }
    settle({ path, mode, owner }, isRoot);
  } catch (error) {
    throw refusedWrite(error, path);
  }
}

/** Under another name first, so that a full disk leaves no half of a file. */
function writePlanned(file: PlannedFile, state: ReturnType<typeof stateOf>, isRoot: boolean): void {
  const { path, text, mode } = file;
  try {
    if (state === "same") {
      settle(file, isRoot);
      return;
    }
    const written = `${path}.new`;
    writeFileSync(written, text, { mode });
    settle({ ...file, path: written }, isRoot);
    if (state === "different") renameSync(path, `${path}.old`);
    renameSync(written, path);
  } catch (error) {
    throw refusedWrite(error, path);
  }
}

function settle({ path, mode, owner }: Planned, isRoot: boolean): void {
  chmodSync(path, mode);
  if (isRoot) chownSync(path, owner.uid, owner.gid);
}
