import type { LoggedDelivery } from "../../domain/delivery.ts";
import type { Store } from "../../store/store.ts";

/** Returns the names of the deliveries' partners by ID. */
export async function loadPartnerNamesOfDeliveries(
  { read }: Pick<Store, "read">,
  deliveries: readonly LoggedDelivery[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const id of new Set(deliveries.map(({ delivery }) => delivery.partnerId)))
    names.set(id, (await read.partners.find(id))?.name ?? id);
  return names;
}
