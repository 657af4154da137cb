import type { Fleet } from "../servers/fleet.ts";

/*
 * The servers cache responses and embeds' pages up to a size. With the load of a soak test that takes hours, which would
 * look like a leak: a run begins with full caches.
 */

/** More than the size of each cache. */
const RESPONSE_BYTES = 20e6;
const PAGE_BYTES = 36e6;
const APPLIANCES = 200;
const AT_ONCE = 4;

/** Fills the caches of all servers with the data of a partner that is purged afterwards. */
export async function fillCaches(fleet: Fleet, administrator: Record<string, string>): Promise<void> {
  const name = "Filler";
  const { partner_id, api_key } = await fleet.run("partner", "create", name);
  const rows = Array.from(
    { length: APPLIANCES },
    (_, nth) => `1,water_heater_gas,S${nth},${1986 + (nth % 40)}`,
  );
  await fleet.run(
    ...["import", "--partner", partner_id],
    ...["--properties", fleet.file("fp.csv", ["partner_property_id,name,address,state", "1,Elm,Elm St,NY"])],
    ...["--appliances", fleet.file("fa.csv", ["partner_property_id,type_id,serial,install_year", ...rows])],
  );
  const [{ url, adminUrl }] = fleet.servers as [Fleet["servers"][0]];
  const headers = { "x-api-key": api_key };
  const { properties } = await (await fetch(`${url}/v1/properties`, { headers })).json();
  const embed = await fetch(`${adminUrl}/admin/embeds`, {
    method: "POST",
    headers: { ...administrator, "content-type": "application/json" },
    body: JSON.stringify({ property_id: properties[0].id }),
  });
  const { token } = await embed.json();
  await Promise.all(
    fleet.servers.map(async ({ url }) => {
      await readUpTo(RESPONSE_BYTES, (nth) => fetch(`${url}/v1/components?limit=50&_n=${nth}`, { headers }));
      const page = (nth: number) => `${url}/embed/property/${token}/components.csv?budget=${nth}`;
      await readUpTo(PAGE_BYTES, (nth) => fetch(page(nth), { headers: { "accept-encoding": "identity" } }));
    }),
  );
  await fetch(`${adminUrl}/admin/partners/${partner_id}/purge`, {
    method: "POST",
    headers: { ...administrator, "content-type": "application/json" },
    body: JSON.stringify({ confirm: name }),
  });
}

/** Sends requests until their answers have as many bytes. */
async function readUpTo(bytes: number, ask: (nth: number) => Promise<Response>): Promise<void> {
  let read = 0;
  let nth = 0;
  const reading = async () => {
    while (read < bytes) {
      const response = await ask(nth++);
      const text = await response.text();
      if (!response.ok)
        throw new Error(`a request that fills caches was answered ${response.status}: ${text}`);
      read += text.length;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, reading));
}
