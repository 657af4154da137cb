import { beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { EXECUTABLE } from "../support/executable.ts";
import type { Json } from "../support/json.ts";
import { type Outcome, useMainstay } from "../support/mainstay.ts";

const { folder } = useMainstay();
const IS_ROOT = process.getuid?.() === 0;
/** The service's account: a different one if the tests run as root. */
const ACCOUNT = IS_ROOT ? { uid: 4321, gid: 4322 } : { uid: process.getuid!(), gid: process.getgid!() };
/** The command prefix that runs a command as another user than root. */
const AS_ACCOUNT = IS_ROOT
  ? ["setpriv", `--reuid=${ACCOUNT.uid}`, `--regid=${ACCOUNT.gid}`, "--clear-groups"]
  : [];

const CONFIG = "etc/mainstay/mainstay.toml";
const DATA = "var/lib/mainstay";
const UNIT = "etc/systemd/system/mainstay.service";
const BINARY = "usr/local/bin/mainstay";
/** The manual page and the completion scripts. */
const HELP = [
  "usr/local/share/bash-completion/completions/mainstay",
  "usr/local/share/fish/vendor_completions.d/mainstay.fish",
  "usr/local/share/man/man1/mainstay.1",
  "usr/local/share/zsh/site-functions/_mainstay",
];

let executable: string;
beforeAll(() => {
  executable = join(folder(), "mainstay");
  cpSync(EXECUTABLE, executable);
  chmodSync(executable, 0o755);
});

/** Creates the root folder of a machine with Mainstay and these users. */
function machine(users: readonly string[] = ["mainstay"], binary = BINARY): string {
  const root = folder();
  for (const path of ["etc", dirname(binary)]) mkdirSync(join(root, path), { recursive: true });
  linkSync(executable, join(root, binary));
  const lines = users.map((user) => `${user}:x:${ACCOUNT.uid}:${ACCOUNT.gid}::/:/usr/sbin/nologin`);
  writeFileSync(join(root, "etc/passwd"), ["root:x:0:0:root:/root:/bin/sh", ...lines, ""].join("\n"));
  return root;
}

type Run = { binary?: string; under?: readonly string[] };

/** Runs the installed executable in an empty environment. */
async function run(
  root: string,
  args: readonly string[],
  { binary = BINARY, under = [] }: Run = {},
): Promise<Outcome> {
  const child = Bun.spawn([...under, join(root, binary), ...args], {
    cwd: root,
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

const init = (root: string, args: readonly string[] = [], how: Run = {}) =>
  run(root, ["init", "--system", "--root", root, ...args], how);

/** Runs `init`, which must succeed, and returns its result. */
async function initialized(root: string, ...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await init(root, [...args, "--json"]);
  if (code !== 0) throw new Error(`init exited with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

const textOf = (root: string, path: string) => readFileSync(join(root, path), "utf8");
const rightsOf = (root: string, path: string) => {
  const { mode, uid, gid } = statSync(join(root, path));
  return { mode: (mode & 0o7777).toString(8), uid, gid };
};
/** Returns all files that init may have created under the folder. */
const filesIn = (root: string) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(root, path)).isFile() && ![BINARY, "etc/passwd"].includes(path))
    .toSorted();

describe("init --system", () => {
  test("writes configuration and unit, and creates the data folder, with the right owners and modes", async () => {
    const root = machine();
    expect(await initialized(root)).toMatchObject({
      config_file: join(root, CONFIG),
      config_created: true,
      data_dir: join(root, DATA),
      unit_file: join(root, UNIT),
      unit_created: true,
      help_files: expect.arrayContaining(HELP.map((path) => join(root, path))),
      user: "mainstay",
      owners_set: IS_ROOT,
    });
    expect(filesIn(root)).toEqual([CONFIG, UNIT, ...HELP]);
    const ours = { uid: process.getuid!(), gid: process.getgid!() };
    expect(rightsOf(root, CONFIG)).toEqual({ mode: "640", uid: ours.uid, gid: ACCOUNT.gid });
    expect(rightsOf(root, "etc/mainstay")).toEqual({ mode: "750", uid: ours.uid, gid: ACCOUNT.gid });
    expect(rightsOf(root, DATA)).toEqual({ mode: "700", ...ACCOUNT });
    for (const path of [UNIT, ...HELP])
      expect({ path, ...rightsOf(root, path) }).toEqual({ path, mode: "644", ...ours });
    for (const path of ["etc/systemd", "var", "var/lib"])
      expect({ path, ...rightsOf(root, path) }).toEqual({ path, mode: "755", ...ours });
  });

  test("the unit is that of the sources with the executable's path", async () => {
    const root = machine(["mainstay"], "opt/mainstay-1/mainstay");
    const { code } = await init(root, [], { binary: "opt/mainstay-1/mainstay" });
    expect(code).toBe(0);
    const source = readFileSync(join(import.meta.dir, "../../packaging/mainstay.service"), "utf8");
    expect(textOf(root, UNIT)).toBe(
      source.replace("ExecStart=/usr/local/bin/mainstay ", "ExecStart=/opt/mainstay-1/mainstay "),
    );
  });

  test("--user sets the user of the unit and the owner", async () => {
    const root = machine(["risk"]);
    expect(await initialized(root, "--user", "risk")).toMatchObject({ user: "risk" });
    expect(textOf(root, UNIT)).toContain("\nUser=risk\n");
    expect(rightsOf(root, DATA)).toMatchObject(ACCOUNT);
  });

  test("the configuration has the defaults with the service's data folder", async () => {
    const root = machine();
    await initialized(root);
    const example = readFileSync(join(import.meta.dir, "../../config.example.toml"), "utf8");
    expect(textOf(root, CONFIG)).toBe(
      example.replace('data_dir = "./data"', 'data_dir = "/var/lib/mainstay"'),
    );
  });

  test("the installation works: the first start creates key file and database", async () => {
    const root = machine();
    await initialized(root);
    chmodSync(root, 0o755);
    // Matches the unit, except for the root folder, which only systemd can change.
    const place = ["--config", join(root, CONFIG), "--data-dir", join(root, DATA)];
    const service = Bun.spawn([...AS_ACCOUNT, join(root, BINARY), "serve", "--port", "0", ...place], {
      cwd: root,
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let log = "";
    for await (const chunk of service.stdout) {
      const listened = log.includes('"msg":"listening"');
      log += new TextDecoder().decode(chunk);
      // Once, since a second signal interrupts the shutdown.
      if (!listened && log.includes('"msg":"listening"')) service.kill("SIGTERM");
    }
    expect(await service.exited).toBe(0);
    expect(log).toContain('"msg":"listening"');
    const args = ["partner", "list", "--json", ...place];
    const { code, stdout, stderr } = await run(root, args, { under: AS_ACCOUNT });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({ partners: [] });
    expect(rightsOf(root, join(DATA, "mainstay.key"))).toEqual({ mode: "600", ...ACCOUNT });
  });

  test("prints the next steps as text and as JSON", async () => {
    const root = machine();
    const { stdout } = await init(root);
    expect(stdout).toContain(`\nNext:\n  systemctl --root=${root} enable mainstay\n`);
    expect(stdout).toContain("Back up the key file off this machine");
    expect((await initialized(root)).next_steps).toEqual([`systemctl --root=${root} enable mainstay`]);
  });
});

describe("init --system again", () => {
  test("changes nothing and reports existing files", async () => {
    const root = machine();
    await initialized(root);
    const before = filesIn(root).map((path) => statSync(join(root, path)).mtimeMs);
    expect(await initialized(root)).toMatchObject({ config_created: false, unit_created: false });
    expect(filesIn(root).map((path) => statSync(join(root, path)).mtimeMs)).toEqual(before);
    expect((await init(root)).stdout).toContain(`${join(root, UNIT)} (already exists)`);
  });

  test("creates missing files and corrects modes", async () => {
    const root = machine();
    await initialized(root);
    const config = textOf(root, CONFIG);
    writeFileSync(join(root, CONFIG), config);
    chmodSync(join(root, CONFIG), 0o666);
    chmodSync(join(root, DATA), 0o777);
    Bun.spawnSync(["rm", join(root, UNIT)]);
    expect(await initialized(root)).toMatchObject({ config_created: false, unit_created: true });
    expect(rightsOf(root, CONFIG).mode).toBe("640");
    expect(rightsOf(root, DATA).mode).toBe("700");
  });

  test("keeps a changed file, and writes nothing at all", async () => {
    const root = machine();
    await initialized(root);
    const mine = textOf(root, CONFIG).replace("port = 8080", "port = 9000");
    writeFileSync(join(root, CONFIG), mine);
    Bun.spawnSync(["rm", join(root, UNIT)]);
    const { code, stdout, stderr } = await init(root);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`${join(root, CONFIG)} is already present with other content`);
    expect(stderr).toContain("--force");
    expect(textOf(root, CONFIG)).toBe(mine);
    expect(filesIn(root)).toEqual([CONFIG, ...HELP]);
  });

  test("replaces completion scripts and the manual page without --force", async () => {
    const root = machine();
    await initialized(root);
    const fresh = textOf(root, HELP[0]!);
    for (const path of HELP) writeFileSync(join(root, path), "of another version");
    await initialized(root);
    expect(textOf(root, HELP[0]!)).toBe(fresh);
    expect(filesIn(root)).toEqual([CONFIG, UNIT, ...HELP]);
  });

  test("follows no planted link, and leaves no other file", async () => {
    const root = machine();
    const victim = join(folder(), "victim");
    writeFileSync(victim, "untouched", { mode: 0o600 });
    for (const path of [CONFIG, UNIT, ...HELP]) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      symlinkSync(victim, join(root, `${path}.new`));
    }
    await initialized(root);
    expect(readFileSync(victim, "utf8")).toBe("untouched");
    expect(statSync(victim)).toMatchObject({ uid: process.getuid!(), gid: process.getgid!() });
    expect(statSync(victim).mode & 0o777).toBe(0o600);
    for (const path of [CONFIG, UNIT, ...HELP])
      expect(readdirSync(dirname(join(root, path))).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("replaces a changed file with --force, and keeps the old one", async () => {
    const root = machine();
    await initialized(root);
    const fresh = textOf(root, UNIT);
    writeFileSync(join(root, UNIT), "[Service]\nExecStart=/bin/false\n");
    expect(await initialized(root, "--force")).toMatchObject({ config_created: false, unit_created: true });
    expect(textOf(root, UNIT)).toBe(fresh);
    expect(textOf(root, `${UNIT}.old`)).toBe("[Service]\nExecStart=/bin/false\n");
    expect(filesIn(root)).toEqual([CONFIG, UNIT, `${UNIT}.old`, ...HELP]);
  });
});

describe("init --system fails without writing anything", () => {
  test("for an unknown user, with the command that creates it", async () => {
    const root = machine([]);
    const { code, stderr } = await init(root);
    expect(code).toBe(1);
    expect(stderr).toContain(`user "mainstay" not found in ${join(root, "etc/passwd")}`);
    expect(stderr).toMatch(/useradd --root \S+ --system .*--shell \/usr\/sbin\/nologin mainstay$/m);
    expect(filesIn(root)).toEqual([]);
  });

  test("for root as the service's user", async () => {
    const root = machine();
    const { code, stderr } = await init(root, ["--user", "root"]);
    expect(code).toBe(1);
    expect(stderr).toContain("root is root; the server must not run as root");
    expect(filesIn(root)).toEqual([]);
  });

  test.each(["home/me/mainstay", "tmp/mainstay", "root/bin/mainstay"])(
    "for an executable in /%s, which the service cannot access",
    async (binary) => {
      const root = machine(["mainstay"], binary);
      const { code, stderr } = await init(root, [], { binary });
      expect(code).toBe(1);
      expect(stderr).toContain(`could not access its executable at /${binary}`);
      expect(stderr).toContain(`install -D -m 0755 ${join(root, binary)} ${join(root, BINARY)}`);
      expect(existsSync(join(root, "etc/mainstay"))).toBe(false);
    },
  );

  test("for an executable whose path cannot be used in a unit", async () => {
    const root = machine(["mainstay"], "opt/my programs/mainstay");
    const { code, stderr } = await init(root, [], { binary: "opt/my programs/mainstay" });
    expect(code).toBe(1);
    expect(stderr).toContain('the path "/opt/my programs/mainstay" cannot be used in a systemd unit');
  });

  test("on this machine without root", async () => {
    const root = machine();
    chmodSync(root, 0o755);
    const { code, stderr } = await run(root, ["init", "--system"], { under: AS_ACCOUNT });
    expect(code).toBe(1);
    expect(stderr).toContain("only root can set up a system service");
    expect(stderr).toContain("sudo");
  });

  test.each([
    [["init", "--force"], "--root, --user and --force require --system"],
    [["init", "--root", "/srv"], "--root, --user and --force require --system"],
    [["init", "--system", "--config", "x.toml"], "--system cannot be used with --config or --data-dir"],
    [["init", "--system", "--data-dir", "x"], "--system cannot be used with --config or --data-dir"],
  ])("for %p as incorrect usage", async (args, complaint) => {
    const root = machine();
    const { code, stderr } = await run(root, args);
    expect(code).toBe(2);
    expect(stderr).toContain(complaint);
    expect(filesIn(root)).toEqual([]);
  });
});

test("without root, another root folder can be prepared, and owners are not set", async () => {
  const root = machine();
  chmodSync(root, 0o755);
  for (const path of ["", "etc", "usr/local"]) chownSync(join(root, path), ACCOUNT.uid, ACCOUNT.gid);
  const { code, stdout, stderr } = await init(root, [], { under: AS_ACCOUNT });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(
    "Only root can set owners, so none were set. The data folder must be owned by mainstay.",
  );
  expect(rightsOf(root, CONFIG)).toEqual({ mode: "640", ...ACCOUNT });
});
