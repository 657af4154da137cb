/*
 * Renews the screenshots of README and docs/ with the demo property of `dist/mainstay`:
 * `bun build.ts && bun test/docs/pictures.ts`.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { settled, signIn } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import { EXECUTABLE } from "../support/executable.ts";

/** The other properties of the portfolio. */
const OTHERS = [
  ["Elm Court", "NY", 12],
  ["Oak House", "TX", 40],
  ["Harbor View Apartments", "CA", 88],
  ["Birch Terrace", "OH", 24],
  ["Lakeside Lofts", "IL", 64],
] as const;
const TYPES = ["roof", "boiler", "water_heater_gas", "elevator", "refrigerator", "washer", "ptac"];
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
  const post = async (path: string, body = {}) => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { "x-api-key": partner.api_key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const { id } = await post("/onboarding/demo-property");
  for (const [n, [name, state, unit_count]] of OTHERS.entries()) {
    const property = await post("/v1/properties", { name, address: "1 Main St", state, unit_count });
    const appliances = TYPES.map((type_id, at) => ({
      property_id: property.id,
      type_id,
      install_year: 2005 + ((5 * n + 7 * at) % 20),
    }));
    await post("/v1/appliances/bulk", { appliances });
  }
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
    await fetch(`${url}/v1/alerts?property_id=${id}`, { headers: { "x-api-key": partner.api_key } })
  ).json()) as { alerts: { id: string; component_name: string }[] };
  // Selects a component with both an old age and adverse evidence.
  const { id: elevated, component_name: called } = alerts.find(({ id }) => {
    const { hazard_ratio } = run("explain", id).hazard;
    return hazard_ratio > 1.5 && hazard_ratio < 5;
  })!;
  const page = await browser.newPage({ viewport: { width: 1080, height: 860 } });
  await page.goto(`${adminUrl}/console`);
  await page.getByLabel("Administrator key").fill(run("admin", "create", "Night shift").admin_key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Recent errors" }).waitFor();
  await page.screenshot({ path: join(PICTURES, "console.png") });
  await page.goto(`${adminUrl}/console#/components/${elevated}`);
  await page.getByRole("heading", { name: called, level: 1 }).waitFor();
  await page.screenshot({ path: join(PICTURES, "console-component.png") });
  await page.close();
  const app = await browser.newPage({ viewport: { width: 1080, height: 1000 } });
  await app.goto(`${url}/embed/app`);
  await signIn(app, partner.api_key);
  await settled(app);
  await app.screenshot({ path: join(PICTURES, "portfolio.png") });
  await app.close();
} finally {
  await browser.close();
  server.kill();
  await server.exited;
  rmSync(folder, { recursive: true });
}
