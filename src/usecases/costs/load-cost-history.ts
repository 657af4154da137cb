import type { Component } from "../../domain/component.ts";
import { CostHistory, costHistoryStart, type KindHistory } from "../../domain/costs/cost-history.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import { hasOwnCosts } from "../../domain/costs/stated-costs.ts";
import type { Day } from "../../domain/time.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { Store } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

/** Appliances whose events are read together, and the most events of a read. */
const APPLIANCES_A_STEP = 500;
const EVENTS_A_STEP = 2_000;

/**
 * Returns what the partner has paid for replacements, by kind, beside the costs by `prices`. The bills of a retired appliance
 * were paid and count; those of a demo property are invented. Reads the appliances in their order, and the events of some at a
 * time by their index, so that a portfolio of any size needs little memory and blocks no other request.
 */
export async function loadReplacementCostHistory(
  { read }: Pick<Store, "read">,
  partnerId: string,
  prices: PriceList,
  today: Day,
  yieldNow: Yield,
): Promise<KindHistory[]> {
  const history = new CostHistory(today);
  const from = costHistoryStart(today);
  for (let after = 0; ; after += APPLIANCES_A_STEP) {
    const page = await read.appliances.numbered(partnerId, after, after + APPLIANCES_A_STEP);
    if (page.length === 0) return history.kinds();
    const propertyIds = [...new Set(page.map(({ propertyId }) => propertyId))];
    const properties = new Map(
      (await read.properties.ofIds(partnerId, propertyIds)).map((property) => [property.id, property]),
    );
    const placed = new Map(
      page.flatMap((appliance) => {
        const property = properties.get(appliance.propertyId);
        return property && !property.isDemo ? [[appliance.id, { appliance, property }] as const] : [];
      }),
    );
    for (let last: Awaited<ReturnType<typeof read.serviceEvents.billedAfter>>[number] | undefined; ; ) {
      const events = await read.serviceEvents.billedAfter([...placed.keys()], from, last, EVENTS_A_STEP);
      const whole = events.flatMap(({ applianceId, componentId }) =>
        componentId === null ? applianceId : [],
      );
      const parts = await partsOf(read, [...new Set(whole)]);
      const ownOf = Map.groupBy(parts.filter(hasOwnCosts), ({ applianceId }) => applianceId);
      for (const event of events) {
        const { appliance, property } = placed.get(event.applianceId)!;
        const { componentDefId: defId, ownPlannedCents, ownFailedCents } = event;
        const own = { ownPlannedCents, ownFailedCents };
        const { state, unitCount, grossAreaSqft, stories } = property;
        const place = { state, unitCount, grossAreaSqft, stories };
        // A component may be of the type that its appliance had before.
        const typeId = defId === null ? appliance.typeId : prices.knowledge.component(defId).typeId;
        history.add(typeId, event, () =>
          defId === null
            ? prices
                .ofAppliance(appliance, place)
                .unit(new Map(ownOf.get(appliance.id)?.map((component) => [component.defId, component])))
            : prices.ofComponent({ ...appliance, ...place, ...own, defId }),
        );
      }
      last = events.at(-1);
      await yieldNow();
      if (events.length < EVENTS_A_STEP) break;
    }
  }
}

/** Returns the components of appliances, also of retired ones. */
async function partsOf({ components }: Stores, applianceIds: readonly string[]): Promise<Component[]> {
  if (applianceIds.length === 0) return [];
  return [
    ...(await components.ofAppliances(applianceIds)),
    ...(await components.retiredOfAppliances(applianceIds)),
  ];
}
