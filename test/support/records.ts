import type { ApiClient } from "./client.ts";
import { addProperty, addWornAppliance, logEvents } from "./portfolio.ts";

/** Ids by their prefix, such as `P_`, and the name of a photo's file as `photo`. */
export type RecordIds = Readonly<Record<string, string>>;

/**
 * Creates one record of each kind, all of one new property; a delivery where the partner's receiver has received one.
 */
export async function addRecords(by: ApiClient): Promise<RecordIds> {
  const property = await addProperty(by, { unit_count: 3 });
  const appliance = await addWornAppliance(by, property.id);
  const [unit] = (await by.get(`/v1/property/${property.id}/units`)).body.units;
  const event = { appliance_id: appliance.id, event_type: "Repair", date: "2026-01-01" };
  const claim = { claim_type: "water_damage", date_of_loss: "2026-01-01", amount: 100 };
  const [delivery] = (await by.get("/v1/webhook-deliveries?status=delivered&limit=1")).body.deliveries;
  const photos = `/v1/appliances/${appliance.id}/photos`;
  const photo = (await by.ask("POST", photos, 201, { raw: photoForm() })).body;
  return {
    P_: property.id,
    U_: unit.id,
    A_: appliance.id,
    C_: appliance.components[0].id,
    SE_: (await logEvents(by, event)).events[0].id,
    CLM_: (await by.post(`/v1/property/${property.id}/claims`, claim)).body.id,
    WH_: delivery?.id ?? "WH_1795230000000_k3v9x",
    PH_: photo.id,
    photo: photo.filename,
  };
}

/** A form with the smallest file that is accepted as a picture. */
export function photoForm(): FormData {
  const form = new FormData();
  form.set("file", new File([new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16])], "tank.jpg"));
  return form;
}
