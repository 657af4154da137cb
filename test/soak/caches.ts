import { expect } from "bun:test";
import type { Fleet } from "../servers/fleet.ts";
import { eventually } from "../support/eventually.ts";

/*
 * The servers keep prices and policies of new parts and units up to a number, whatever partner had them. With the load of a
 * soak test that takes hours, which would look like a leak: a run begins with full caches. What is kept of a partner's data
 * goes with the partner, so that it does not grow over a run.
 */

/** Appliances, each with prices and policies of its own: units and parts are more than are kept. */
const APPLIANCES = 600;
const TYPES = ["hvac_central", "hvac_heat_pump"];
const PROPERTIES = 6;
const PURGED_WITHIN_MS = 120_000;
const COLUMNS = "partner_property_id,type_id,serial,install_year,size";

/** Fills the caches of all servers with the data of a partner that is purged afterward. */
export async function fillCaches(fleet: Fleet, administrator: Record<string, string>): Promise<void> {
  const name = "Filler";
  const { partner_id, api_key } = await fleet.run("partner", "create", name);
  const properties = Array.from({ length: PROPERTIES }, (_, nth) => `${nth},Elm ${nth},Elm St,NY`);
  const appliances = Array.from({ length: APPLIANCES }, (_, nth) => {
    const size = (10 + nth / 10).toFixed(1);
    return `${nth % PROPERTIES},${TYPES[nth % TYPES.length]},S${nth},${1986 + (nth % 40)},${size}`;
  });
  await fleet.run(
    ...["import", "--partner", partner_id],
    ...["--properties", fleet.file("fp.csv", ["partner_property_id,name,address,state", ...properties])],
    ...["--appliances", fleet.file("fa.csv", [COLUMNS, ...appliances])],
  );
  const headers = { "x-api-key": api_key };
  await Promise.all(
    fleet.servers.map(async ({ url }) => {
      const read = async (path: string) => {
        const response = await fetch(`${url}${path}`, { headers });
        const text = await response.text();
        if (!response.ok)
          throw new Error(`a request that fills caches was answered ${response.status}: ${text}`);
        return JSON.parse(text);
      };
      for (const { id } of (await read("/v1/properties")).properties)
        await read(`/v1/property/${id}/plan?years=30`);
    }),
  );
  const [{ adminUrl }] = fleet.servers as [Fleet["servers"][0]];
  await fetch(`${adminUrl}/admin/partners/${partner_id}/purge`, {
    method: "POST",
    headers: { ...administrator, "content-type": "application/json" },
    body: JSON.stringify({ confirm: name }),
  });
  await eventually(async () => {
    const { status } = await fetch(`${adminUrl}/admin/partners/${partner_id}`, { headers: administrator });
    expect(status).toBe(404);
  }, PURGED_WITHIN_MS);
}
