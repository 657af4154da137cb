import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { type Browser, chromium } from "playwright-core";
import { TIMEOUT_MS } from "./eventually.ts";
import { programsFolder } from "./temporary-folders.ts";

const PACKAGE = join(import.meta.dir, "../../node_modules/@sparticuz/chromium");
const { version: VERSION } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
  version: string;
};

/** Launches a real browser: the one from the npm registry, or the system's where that has none for this machine. */
export async function launchBrowser(): Promise<Browser> {
  const { executable, env } = process.arch === "x64" ? await packagedBrowser() : systemBrowser();
  return await chromium.launch({
    executablePath: executable,
    timeout: TIMEOUT_MS,
    env: { ...process.env, ...env } as Record<string, string>,
    args: [
      // There is no sandbox as root; hinting would draw letters differently on each machine.
      ...["--no-sandbox", "--font-render-hinting=none"],
      // Nothing here needs a graphics card, nor a separate process that emulates one.
      ...["--disable-gpu", "--disable-software-rasterizer", "--use-gl=disabled", "--in-process-gpu"],
      // Pages of tests are left before most of what is compiled again, optimized, has paid off.
      "--js-flags=--no-maglev --no-opt",
    ],
  });
}

/**
 * The package's own font for Latin, so that pages have the same length everywhere, and DejaVu for letters that it
 * lacks. Other fonts of the system are left out: fontconfig prefers one with the requested weight to the family.
 */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <alias binding="strong"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="strong"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

type Executable = { executable: string; env: Record<string, string> };

/** Unpacks the browser once for a version and these fonts, and adds its libraries where the system lacks them. */
async function packagedBrowser(): Promise<Executable> {
  const folder = join(programsFolder(), `mainstay-chromium-${VERSION}-${Bun.hash(FONTS).toString(36)}`);
  if (!existsSync(folder)) await unpack(folder);
  const executable = join(folder, "chromium");
  const fonts = { FONTCONFIG_PATH: join(folder, "fonts") };
  if (missingLibraries(executable, {}).length === 0) return { executable, env: fonts };
  const env = { ...fonts, LD_LIBRARY_PATH: join(folder, "al2023", "lib") };
  const missing = missingLibraries(executable, env);
  if (missing.length === 0) return { executable, env };
  throw new Error(
    `the browser for the tests lacks ${missing.join(", ")}. Install the system's: apt-get install chromium`,
  );
}

function systemBrowser(): Executable {
  const found = ["chromium", "chromium-browser", "google-chrome"]
    .map((name) => Bun.which(name))
    .find(Boolean);
  if (found) return { executable: found, env: {} };
  throw new Error("the tests of pages need a browser. Install one: apt-get install chromium");
}

/** Unpacks into a temporary folder and renames it: test files run side by side. */
async function unpack(folder: string): Promise<void> {
  const making = mkdtempSync(`${folder}-`);
  const read = (name: string) => brotliDecompressSync(readFileSync(join(PACKAGE, "bin", name)));
  writeFileSync(join(making, "chromium"), read("chromium.br"));
  chmodSync(join(making, "chromium"), 0o755);
  for (const name of ["al2023", "fonts"])
    for (const { header, data } of await unpackTar(read(`${name}.tar.br`))) {
      if (header.type !== "file" || !data) continue;
      const file = join(making, name, header.name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, data);
    }
  writeFileSync(join(making, "fonts", "fonts.conf"), FONTS);
  try {
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

function missingLibraries(executable: string, env: Record<string, string>): string[] {
  const listed = Bun.spawnSync(["ldd", executable], { env: { ...process.env, ...env } }).stdout.toString();
  return [...listed.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name!);
}
