import { beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { EXECUTABLE } from "../support/executable.ts";
import { useMainstay } from "../support/mainstay.ts";

const { folder, install } = useMainstay();
const FILE = join(import.meta.dir, "../../packaging/Containerfile");

type Instruction = { name: string; rest: string };

/** The instructions in their order, each on one line. */
const instructions: Instruction[] = readFileSync(FILE, "utf8")
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => {
    const [, name, rest] = /^([A-Z]+) +(.+)$/.exec(line) ?? [];
    if (!name) throw new Error(`no instruction: ${line}`);
    return { name, rest: rest! };
  });
const only = (name: string) => {
  const found = instructions.filter((one) => one.name === name);
  if (found.length !== 1) throw new Error(`${found.length} instructions ${name}`);
  return found[0]!.rest;
};
const environment = Object.fromEntries(
  only("ENV")
    .trim()
    .split(/\s+/)
    .map((pair) => /^([A-Z_]+)=(.*)$/.exec(pair)!.slice(1) as [string, string]),
);

/** A folder on the path that has the executable under the name by which the container knows it. */
let path: string;
beforeAll(() => {
  const bin = folder();
  symlinkSync(EXECUTABLE, join(bin, "mainstay"));
  path = [bin, "/usr/bin", "/bin"].join(delimiter);
});

test("every instruction exists, and their commands are lists", () => {
  const known =
    "FROM RUN ARG COPY ENV USER WORKDIR VOLUME EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD".split(" ");
  expect(instructions.filter(({ name }) => !known.includes(name))).toEqual([]);
  expect(instructions[0]!.name).toBe("FROM");
  expect(JSON.parse(only("ENTRYPOINT"))).toEqual(["mainstay"]);
  expect(JSON.parse(only("CMD"))).toEqual(["serve"]);
  expect(only("STOPSIGNAL")).toBe("SIGTERM");
});

test("it copies the output of a build, and the base image has its C library", () => {
  const [, variable, fallback] = /^([A-Z]+)=(.+)$/.exec(only("ARG"))!;
  const [from, to] = only("COPY").split(" ").slice(-2) as [string, string];
  expect(from).toBe(`\${${variable}}`);
  expect(existsSync(join(dirname(FILE), "../dist", fallback!))).toBe(true);
  expect(to).toBe("/usr/local/bin/mainstay");
  expect(only("FROM")).toMatch(/^debian:\d+-slim$/);
});

test("it runs as a user other than root, in a volume that only that user can access", () => {
  const [uid] = only("USER").split(":");
  expect(Number(uid)).toBeGreaterThan(0);
  expect(only("RUN")).toContain(`useradd --system --uid ${uid} `);
  expect(only("RUN")).toContain(`-m 0700 ${only("VOLUME")}`);
  expect(only("WORKDIR")).toBe(only("VOLUME"));
  expect(environment.MAINSTAY_STORAGE__DATA_DIR).toBe(only("VOLUME"));
});

test("it exposes the ports of the settings", () => {
  const admin = environment.MAINSTAY_ADMIN__LISTEN!.split(":").at(-1);
  expect(only("EXPOSE").split(" ")).toEqual(["8080", admin!]);
  expect(environment.MAINSTAY_SERVER__HOST).toBe("0.0.0.0");
});

test("the server starts in its environment, and its health check passes, then fails once the server has stopped", async () => {
  const installation = install();
  // All but the addresses, since a test listens on this machine alone, and the folder.
  const env = {
    ...environment,
    PATH: path,
    MAINSTAY_SERVER__HOST: "127.0.0.1",
    MAINSTAY_ADMIN__LISTEN: "127.0.0.1:0",
    MAINSTAY_STORAGE__DATA_DIR: installation.dataDir,
  };
  const [, options, command] = /^((?:--[a-z-]+=\S+ )+)CMD (.+)$/.exec(only("HEALTHCHECK"))!;
  expect(options).toContain("--start-period=");
  await installation.start({ env });
  const port = new URL(installation.url).port;
  const check = () =>
    Bun.spawn(JSON.parse(command!), {
      env: { ...env, MAINSTAY_SERVER__PORT: port },
      stdio: ["ignore", "ignore", "ignore"],
    }).exited;
  expect(await check()).toBe(0);
  await installation.stop();
  expect(await check()).toBe(1);
});

test("with the variables that it empties, the executable is Mainstay", () => {
  const emptied = Object.fromEntries(Object.entries(environment).filter(([, value]) => value === ""));
  expect(Object.keys(emptied)).toEqual(expect.arrayContaining(["BUN_BE_BUN", "BUN_OPTIONS", "BUN_INSPECT"]));
  const { stdout, exitCode } = Bun.spawnSync(["mainstay", "version"], { env: { ...emptied, PATH: path } });
  expect(exitCode).toBe(0);
  expect(stdout.toString()).toStartWith("mainstay ");
});
