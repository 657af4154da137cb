import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Administrator, createAdministrator, createPartnerBy } from "../support/administrator.ts";
import { openConsole } from "../support/app-window.ts";
import { launchBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { failuresOfGoldenFleet, GOLDEN_FLEET } from "../support/golden-fleet.ts";
import type { HtmlTable } from "../support/html-tables.ts";
import type { Json } from "../support/json.ts";
import { type Installation, useMainstay } from "../support/mainstay.ts";
import { accessibilityViolations, overflow, screenshot } from "../support/page-checks.ts";
import { addAppliance, addProperty, logEvents } from "../support/portfolio.ts";
import { expectTable, figuresOf, replacedInCells } from "../support/shown-figures.ts";

/* A calibration that administrators run, review, activate and revert. */

const { serve } = useMainstay();
let server: Installation;
let admin: Administrator;
let browser: Browser;
let partner: Awaited<ReturnType<Installation["createPartner"]>>;
beforeAll(async () => {
  server = await serve();
  admin = await createAdministrator(server, "Jane");
  partner = await createPartnerBy(admin, { name: "Acme" });
  const failures = join(server.folder, "failures.csv");
  writeFileSync(failures, failuresOfGoldenFleet());
  await server.json(
    ...["import", "--partner", partner.partner_id, "--properties", join(GOLDEN_FLEET, "properties.csv")],
    ...["--appliances", join(GOLDEN_FLEET, "appliances.csv"), "--service-events", failures],
  );
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const PROPOSAL = "/admin/model/proposal";
const proposal = async (): Promise<Json> => (await admin.client.get(PROPOSAL)).body;
const model = async (): Promise<Json> => (await admin.client.get("/admin/model")).body;
const ready = () =>
  eventually(async () => {
    const found = await proposal();
    expect(found.status).toBe("ready");
    return found;
  });

describe("a calibration run by an administrator", () => {
  // Rule: calibrate-proposal
  test("is activated as it was shown, despite later records, audited in the administrator's name, and reverted", async () => {
    expect(await proposal()).toMatchObject({ status: "none", proposal_id: null });
    await admin.client.post(`${PROPOSAL}/apply`, { proposal_id: "1-1" }, 409);
    await admin.client.post(PROPOSAL, undefined, 202);
    await admin.client.post(PROPOSAL, undefined, 409);
    const shown = await ready();
    expect(shown).toMatchObject({ better: true, error: null, model_version: null });
    expect(shown).toMatchObject({ by: `the server at ${server.url}`, made_at: shown.finished_at });
    expect((await model()).versions).toEqual([]);

    // Later records would change the calibration.
    const client = server.as(partner);
    const property = await addProperty(client);
    const appliance = await addAppliance(client, property.id, {
      type_id: "water_heater_gas",
      install_year: 2020,
    });
    const component = appliance.components[0].id;
    await logEvents(
      client,
      {
        appliance_id: appliance.id,
        component_id: component,
        event_type: "Emergency Repair",
        date: "2025-01-02",
      },
      { appliance_id: appliance.id, component_id: component, event_type: "Replacement", date: "2025-01-03" },
    );
    const fresh = await server.json("calibrate");
    expect(fresh.failures).toBeGreaterThan(shown.failures);
    // A restart keeps the calibration.
    await server.stop();
    await server.start();
    expect(await proposal()).toEqual(shown);

    const applied = (await admin.client.post(`${PROPOSAL}/apply`, { proposal_id: shown.proposal_id }, 200))
      .body;
    expect(applied).toMatchObject({ status: "applied", model_version: "3+local.1", proposal_id: null });
    const { versions, model_version } = await model();
    expect(model_version).toBe("3+local.1");
    expect(versions).toMatchObject([
      {
        model_version: "3+local.1",
        in_use: true,
        proven: true,
        forced: false,
        applied_by: admin.id,
        failures: shown.failures,
        lives: shown.lives,
        validation: shown.validation,
        ...shown.fit,
      },
    ]);
    expect(await server.json("calibrate", "--list")).toMatchObject({ versions: [{ applied_by: admin.id }] });
    await admin.client.post(`${PROPOSAL}/apply`, { proposal_id: shown.proposal_id }, 409);

    const reverted = (await admin.client.post("/admin/model/revert", undefined, 200)).body;
    expect(reverted).toEqual({ reverted: "3+local.1", model_version: "3" });
    await admin.client.post("/admin/model/revert", undefined, 409);
    const { entries } = (await admin.client.get("/admin/audit", { subject: "3+local.1" })).body;
    expect(entries.map(({ actor, action }: Json) => [actor, action])).toEqual([
      [admin.id, "model.revert"],
      [admin.id, "model.apply"],
    ]);
  });

  // Rule: calibrate-proposal
  test("is not activated in place of the one that was reviewed, nor over a later model", async () => {
    await server.json("calibrate", "--keep");
    const first = await ready();
    await admin.client.post(PROPOSAL, undefined, 202);
    await eventually(async () => {
      const found = await proposal();
      expect(found.status).toBe("ready");
      expect(found.proposal_id).not.toBe(first.proposal_id);
    });
    await admin.client.post(`${PROPOSAL}/apply`, { proposal_id: first.proposal_id }, 409);
    await admin.client.post(`${PROPOSAL}/apply`, {}, 400);
    const second = await ready();
    await server.json("calibrate", "--apply");
    await admin.client.post(`${PROPOSAL}/apply`, { proposal_id: second.proposal_id }, 409);
    expect((await model()).model_version).toBe("3+local.2");
    expect(await proposal()).toMatchObject({
      status: "applied",
      model_version: "3+local.2",
      by: expect.stringContaining("cli:"),
    });
    await server.json("calibrate", "--revert");
    expect((await proposal()).status).toBe("none");
  });
});

/** Expects the numbers of a calibration in tables to be those of the API. */
function expectCalibration(tables: readonly HtmlTable[], { validation, fit }: Json): void {
  const { before, after } = validation;
  const measures = ["concordance", "brier_skill", "calibration_error", "log_loss", "actual_to_expected"];
  expectTable(
    tables,
    "Forecasts compared with outcomes",
    measures.map((name) => [before[name], after[name]]),
    {
      Default: ([value]) => value,
      Calibrated: ([, value]) => value,
    },
  );
  const byChange = fit.kinds.toSorted(
    (a: Json, b: Json) => Math.abs(Math.log(b.life_factor)) - Math.abs(Math.log(a.life_factor)),
  );
  expectTable(tables.map(replacedInCells(/^× /, "")), "Lifetime by component type", byChange, {
    Lifetime: "life_factor",
    Failures: "failures",
    Expected: "expected",
  });
  const { before: byDefault, after: calibrated } = fit.d_calibration;
  expectTable(
    tables,
    "Lifetimes by decile of the forecast",
    byDefault.shares.map((_: number, at: number) => at),
    {
      Default: (at) => 100 * byDefault.shares[at as unknown as number],
      Calibrated: (at) => 100 * calibrated.shares[at as unknown as number],
    },
  );
}

// Rule: console-model, app-figures
test("the console shows a calibration with its validation, activates it and reverts it", async () => {
  const { page, pageErrors, close } = await openConsole(browser, server, admin.key, "#/model");
  await page.getByRole("button", { name: "Run calibration" }).click();
  await page.locator("#proposal .chip", { hasText: "Proven better" }).waitFor();
  const shown = await proposal();
  const validation = page.getByRole("table", { name: "Forecasts compared with outcomes" });
  expect(await validation.innerText()).toContain(shown.validation.after.concordance.toFixed(4));
  expectCalibration((await figuresOf(page)).tables, shown);
  const deciles = page.locator("#proposal .decile-chart");
  await deciles.getByRole("slider", { name: "Values: lifetimes by decile of the forecast" }).press("End");
  expect(await deciles.locator(".readout").innerText()).toMatch(
    /^Decile 10: [\d.]+% by default, [\d.]+% calibrated$/,
  );
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, "console-model-proposal");
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await overflow(page)).toBe(0);
  await screenshot(page, "console-model-proposal-320");
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.getByRole("button", { name: "Activate" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Activate" }).press("Enter");
  await page.getByText("Active: model 3+local.3, which is model 3 calibrated to ").waitFor();
  const applied = (await model()).versions[0];
  expect(applied).toMatchObject({ in_use: true, applied_by: admin.id, failures: shown.failures });
  expect(await page.locator("#validation .about").first().innerText()).toContain("by Jane");
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, "console-model-applied");
  await page.getByRole("button", { name: "Revert" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revert" }).click();
  await page.getByText("Active: model 3, the default, not calibrated to your data.").waitFor();
  expect((await model()).model_version).toBe("3");
  expect(pageErrors).toEqual([]);
  await close();
});

// Rule: calibration-cluster
test("the console shows a calibration on another server, and the reason of a failed one beside the active one", async () => {
  await server.json("calibrate", "--keep");
  const { page, pageErrors, close } = await openConsole(browser, server, admin.key, "#/model");
  const checkWidths = async (name: string) => {
    expect(await accessibilityViolations(page)).toEqual([]);
    for (const width of [1440, 768, 320]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await overflow(page)).toBe(0);
      await screenshot(page, `${name}-${width}`);
    }
  };
  const other = "the server at http://building-two.risk.example.com:8080";
  const record = async (status: string, error?: string) =>
    await server.sql(
      `UPDATE latest_calibration SET status = '${status}', requested_by = '${other}', proposal_id = NULL,
       error = ${error === undefined ? "NULL" : `'${error}'`}`,
    );
  await page.getByRole("button", { name: "Activate" }).waitFor();
  // Longer than the test takes; a lock of more than ten minutes would be taken for one of a clock that was ahead.
  const expiresAt = Date.now() + 300_000;
  await server.sql(
    `INSERT INTO locks (name, id, owner, acquired_at, expires_at) VALUES ('fit', 'LOCK_0', '${other}', 0, ${expiresAt})`,
  );
  await record("running");
  const status = page.locator("#proposal").getByText(`, started by ${other}.`, { exact: false });
  await status.waitFor();
  expect(await page.getByRole("button", { name: "Calibrating…" }).isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Activate" }).count()).toBe(0);
  await checkWidths("console-model-running");
  await server.sql("DELETE FROM locks WHERE name = 'fit'");
  await record("failed", "less than one year of service history is recorded. Calibrate once it reaches back");
  await page
    .locator("#proposal [role=alert]", { hasText: "Less than one year of service history is recorded" })
    .waitFor();
  await page.getByText("The previous calibration is kept:").waitFor();
  expect(await page.getByRole("button", { name: "Activate" }).isEnabled()).toBe(true);
  await checkWidths("console-model-failed");
  expect(pageErrors).toEqual([]);
  await close();
});
