import { notFound } from "../../domain/errors.ts";
import type { PartnerUsage } from "../../domain/partner.ts";
import { addMonths } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";

/**
 * Returns the calls of a month and the billable units. Today's calls may include up to 10 that a running server has
 * reserved.
 */
export async function loadPartnerUsage(
  store: Store,
  partnerId: string,
  month: string,
): Promise<PartnerUsage> {
  const partner = await store.read.partners.find(partnerId);
  if (!partner) throw notFound("Partner not found");
  const from = `${month}-01`;
  const days = await store.read.budgets.days(partnerId, from, addMonths(from, 1));
  return {
    partnerId,
    name: partner.name,
    month,
    calls: days.reduce((sum, { calls }) => sum + calls, 0),
    days,
    billableUnits: await store.read.partners.billableUnits(partnerId),
  };
}
