import type { Partner, PartnerOverview } from "../domain/partner.ts";
import type { Store } from "../store/store.ts";

/** A partner with its receiver, the size of its portfolio, and of its outbox. */
export async function partnerOverview(
  { read }: Pick<Store, "read">,
  partner: Partner,
): Promise<PartnerOverview> {
  const { id } = partner;
  const { properties, appliances, components } = await read.totals.ofPartner(id);
  return {
    partner,
    receiver: await read.partners.findReceiver(id),
    clientId: await read.partners.clientId(id),
    ...{ properties, appliances, components },
    deliveriesPending: await read.deliveryLog.count({ partnerId: id, status: "pending" }),
    deliveriesFailed: await read.deliveryLog.count({ partnerId: id, status: "failed" }),
  };
}
