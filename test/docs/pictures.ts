/*
 * Takes the pictures of README and docs/ anew, of the demo property as `dist/mainstay` shows it:
 * `bun build.ts && bun test/docs/pictures.ts`.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "../support/browser.ts";
import { EXECUTABLE } from "../support/executable.ts";

const PICTURES = join(import.meta.dir, "../../docs/pictures");
const folder = mkdtempSync(join(tmpdir(), "mainstay-pictures-"));
const where = ["--data-dir", folder, "--json"];

function run(...args: string[]) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([EXECUTABLE, ...args, ...where], { cwd: folder });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

const server = Bun.spawn([EXECUTABLE, "serve", "--port", "0", "--data-dir", folder], {
  cwd: folder,
  stdout: "pipe",
  env: { MAINSTAY_SNAPSHOT__ENABLED: "false" },
});
const browser = await launchBrowser();
try {
  let url: string | undefined;
  let lines = "";
  for await (const chunk of server.stdout) {
    lines += new TextDecoder().decode(chunk);
    url = /"url":"([^"]+)"/.exec(lines)?.[1];
    if (url !== undefined) break;
  }
  const partner = run("partner", "create", "Acme Insurance");
  const made = await fetch(`${url}/onboarding/demo-property`, {
    method: "POST",
    headers: { "x-api-key": partner.api_key },
  });
  const { id } = (await made.json()) as { id: string };
  run("snapshot");
  const { token } = run("embed", "create", id);
  mkdirSync(PICTURES, { recursive: true });
  for (const [name, viewport] of [
    ["property-page", { width: 1080, height: 800 }],
    ["property-page-phone", { width: 390, height: 800 }],
  ] as const) {
    const page = await browser.newPage({ viewport });
    await page.goto(`${url}/embed/property/${token}`);
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
  server.kill();
  await server.exited;
  rmSync(folder, { recursive: true });
}
