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
  let adminUrl: string | undefined;
  let lines = "";
  for await (const chunk of server.stdout) {
    lines += new TextDecoder().decode(chunk);
    url = /"url":"([^"]+)"/.exec(lines)?.[1];
    adminUrl = /"admin_url":"([^"]+)"/.exec(lines)?.[1];
    if (url !== undefined && adminUrl !== undefined) break;
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
  const { alerts } = (await (
    await fetch(`${url}/v1/alerts`, { headers: { "x-api-key": partner.api_key } })
  ).json()) as { alerts: { id: string; component_name: string }[] };
  // One that both its age and what is on record speak against.
  const { id: elevated, component_name: called } = alerts.find(({ id }) => {
    const { hazard_ratio } = run("explain", id).hazard;
    return hazard_ratio > 1.5 && hazard_ratio < 5;
  })!;
  const page = await browser.newPage({ viewport: { width: 1080, height: 860 } });
  await page.goto(`${adminUrl}/console`);
  await page.getByLabel("Administrator’s key").fill(run("admin", "create", "Night shift").admin_key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Recent errors" }).waitFor();
  await page.screenshot({ path: join(PICTURES, "console.png") });
  await page.goto(`${adminUrl}/console#/components/${elevated}`);
  await page.getByRole("heading", { name: called, level: 1 }).waitFor();
  await page.screenshot({ path: join(PICTURES, "console-component.png") });
  await page.close();
} finally {
  await browser.close();
  server.kill();
  await server.exited;
  rmSync(folder, { recursive: true });
}
