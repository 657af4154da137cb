import { serializeTierChangedMessage } from "../../api-schemas/webhook-payload-schema.ts";
import type { Component } from "../../domain/component.ts";
import type { PriceList } from "../../domain/costs/price-list.ts";
import type { RiskTier } from "../../domain/scoring/scoring-types.ts";
import type { Tx } from "../../store/store.ts";
import { prepareComponentActions } from "../planning/prepare-component-actions.ts";
import type { AnnouncementOutbox } from "./announcement-outbox.ts";

type TierChange = { component: Component; previousTier: RiskTier };

/** Appliances whose components are read together. */
const STEP = 100;

/**
 * The tier changes of a write that its partner's endpoint receives. They are announced once the write has stored all scores:
 * what to do with a component follows from those of its whole appliance.
 */
export class TierAnnouncements {
  #changes: TierChange[] = [];

  add(component: Component, previousTier: RiskTier): void {
    this.#changes.push({ component, previousTier });
  }

  /** Queues all changes, in the order in which they were added. */
  async flush(tx: Tx, prices: () => Promise<PriceList>, outbox: AnnouncementOutbox): Promise<void> {
    const changes = this.#changes;
    this.#changes = [];
    for (let from = 0; from < changes.length; from += STEP) {
      const step = changes.slice(from, from + STEP);
      await announceTiers(tx, await prices(), outbox, step);
    }
  }
}

/** Queues a notification for each change of a tier, with what to do with the component. Resolves to the number queued. */
export async function announceTiers(
  tx: Tx,
  prices: PriceList,
  outbox: AnnouncementOutbox,
  changes: readonly TierChange[],
): Promise<number> {
  const yieldNow = () => tx.yieldToEventLoop();
  const ids = changes.map(({ component }) => component.applianceId);
  const rows = await tx.components.rowsOfAppliances([...new Set(ids)]);
  const placed = new Map(rows.map((row) => [row.id, row]));
  const { components: actions } = await prepareComponentActions({ prices, yieldNow }, rows);
  let queued = 0;
  for (const { component, previousTier } of changes) {
    const [row, action] = [placed.get(component.id), actions.get(component.id)];
    // A component that the write has retired has no action, and is not announced.
    if (!row || !action) continue;
    // A write may change a component several times: each change is announced as it was.
    const message = serializeTierChangedMessage(prices, { ...row, ...component }, action, previousTier);
    if (!(await outbox.isSubscribed(message.event))) continue;
    await outbox.add({ ...message, orderKey: component.id });
    queued++;
    await yieldNow();
  }
  return queued;
}
