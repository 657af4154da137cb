import { notFound } from "../../domain/errors.ts";
import type { Partner, PartnerOverview } from "../../domain/partner.ts";
import type { PartnerTotals } from "../../store/queries/totals-queries.ts";
import type { Store } from "../../store/store.ts";

/**
 * Returns a partner with its webhook endpoint and the sizes of its portfolio and outbox. Throws not_found once it
 * is purged.
 */
export async function loadPartnerOverview(
  { read }: Pick<Store, "read">,
  partner: Partner,
): Promise<PartnerOverview> {
  const { id } = partner;
  // The purge may finish after the lookup.
  const totals: PartnerTotals | undefined = await read.totals.ofPartner(id);
  if (!totals) throw notFound(`Partner not found: ${id}`);
  const { properties, appliances, components, photoBytes } = totals;
  return {
    partner,
    endpoint: await read.partners.findEndpoint(id),
    clientId: await read.partners.clientId(id),
    properties,
    appliances,
    components,
    photoBytes,
    deliveriesPending: await read.deliveryLog.count({ partnerId: id, status: "pending" }),
    deliveriesFailed: await read.deliveryLog.count({ partnerId: id, status: "failed" }),
  };
}
