import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readXlsx } from "hucre/xlsx";
import { useMainstay } from "../support/mainstay.ts";
import { addProperty } from "../support/portfolio.ts";

const { serve, folder } = useMainstay();

// Rule: display-settings
test("a server labels amounts and areas as its settings say, on pages, in workbooks and in the terminal", async () => {
  const server = await serve({ display: { currency: "EUR", units: "metric" } });
  const partner = await server.createPartner("Acme");
  const client = server.as(partner);
  const property = await addProperty(client, { unit_count: 0, gross_area_sqft: 4000, year_built: 1990 });
  await client.post("/v1/appliances", {
    property_id: property.id,
    type_id: "roof",
    size: 900,
    install_year: 1990,
  });
  const { token } = await server.json("embed", "create", property.id);
  const page = await (await fetch(`${server.url}/embed/property/${token}`)).text();
  expect(page).toContain('<html lang="en" data-currency="EUR" data-units="metric">');
  expect(page).toMatch(/€\d/);
  expect(page).toContain("per 1,000 m²");
  // Costs of the knowledge base are what they are.
  expect(page).toContain("Costs are in US dollars labeled EUR without conversion at the prices of");
  const others = page.replaceAll(/<script.*?<\/script>/gs, "").replaceAll("US dollars labeled EUR", "");
  expect(others).not.toMatch(/\$\d|US dollar|sq ft/);
  const app = await (await fetch(`${server.url}/embed/app`)).text();
  expect(app).toContain('data-currency="EUR"');
  const plan = await server.run("plan", "--property", property.id);
  expect(plan.stdout).toContain("Amounts in EUR.");
  expect(plan.stdout).not.toMatch(/\$\d|USD/);
  const reply = await fetch(`${server.url}/v1/property/${property.id}/plan?format=xlsx`, {
    headers: { "x-api-key": partner.api_key },
  });
  const reserve = await readXlsx(new Uint8Array(await reply.arrayBuffer()));
  const cells = reserve.sheets.flatMap(({ rows }) => rows.flat()).filter((cell) => typeof cell === "string");
  expect(cells).toContain("Total, today's prices");
  expect(cells.filter((cell) => /dollars(?! labeled EUR)|\$\d/.test(cell))).toEqual([]);
  const file = join(folder(), "losses.xlsx");
  await server.run("losses", "--partner", partner.partner_id, "--format", "xlsx", "--output", file);
  const { sheets } = await readXlsx(readFileSync(file), { readStyles: true });
  expect(sheets[0]!.rows[0]![0]).toBe("EUR a year");
  expect(sheets[0]!.cells!.get("1,1")?.style?.numFmt).toBe("[$EUR] #,##0.00");
});
