import type { ApiClient } from "./client.ts";
import type { Json } from "./json.ts";

export const THIS_YEAR = new Date().getUTCFullYear();

/** Returns the day that is that many days from today, in UTC. */
export const dateDaysFromToday = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** On record from its installation, so that wear counts for its whole life. */
export const PROPERTY = {
  name: "Elm Court",
  address: "1 Elm St",
  city: "Albany",
  state: "NY",
  zip: "12207",
  records_since: "1950-01-01",
};

export async function addProperty(client: ApiClient, fields: object = {}): Promise<Json> {
  return (await client.post("/v1/properties", { ...PROPERTY, ...fields })).body;
}

/** Adds an appliance of this year, none of whose components is at risk. */
export async function addAppliance(
  client: ApiClient,
  propertyId: string,
  fields: object = {},
): Promise<Json> {
  const appliance = { property_id: propertyId, type_id: "refrigerator", install_year: THIS_YEAR };
  return (await client.post("/v1/appliances", { ...appliance, ...fields })).body;
}

/** Adds an appliance so old that some of its components are critical. */
export const addWornAppliance = (client: ApiClient, propertyId: string, fields: object = {}) =>
  addAppliance(client, propertyId, { type_id: "water_heater_gas", install_year: THIS_YEAR - 40, ...fields });

export async function logEvents(client: ApiClient, ...events: object[]): Promise<Json> {
  return (await client.post("/v1/service-events/bulk", { events })).body;
}

/** Gives a property, or the portfolio as null, a trend of conditions of so many weeks until today alone, from bad to good. */
export async function addConditionTrend(
  installation: { sql: (text: string) => Promise<unknown> },
  partnerId: string,
  propertyId: string | null,
  weeks: number,
): Promise<void> {
  const rows = Array.from({ length: weeks }, (_, back) => {
    const due = 1_000_000 + back * 20_000;
    return `('${partnerId}', '${propertyId ?? ""}', '${dateDaysFromToday(-7 * back - 1)}', 1, ${due}, 20000000, ${due / 2})`;
  });
  await installation.sql(
    `delete from condition_trends where partner_id = '${partnerId}' and property_id = '${propertyId ?? ""}'`,
  );
  await installation.sql(`insert into condition_trends values ${rows.join(", ")}`);
}
