import { OperatorError } from "../domain/errors.ts";
import type { Knowledge } from "../domain/knowledge.ts";
import type { Partner } from "../domain/partner.ts";
import { tierChanged } from "../wire/webhooks.ts";
import { Outbox } from "./announcements.ts";
import type { Administration } from "./partners.ts";

export type AnnounceParts = {
  administration: Administration;
  knowledge: Knowledge;
  /** Lets others have their turn between two steps. */
  pause: () => Promise<void>;
};

export type AnnouncedState = { critical: number; warning: number; queued: number };

/** Components looked at in one transaction. */
const STEP = 200;

/**
 * Queues the present state to a partner's receiver, one delivery for every component that is CRITICAL or WARNING: for
 * a receiver that was set after they had crossed. What is told is then announced, so that no snapshot tells it again.
 * With `dryRun` it only counts. Asked twice, it tells twice.
 * @throws OperatorError when there is nobody to tell.
 */
export async function announceState(
  { administration, knowledge, pause }: AnnounceParts,
  partner: Partner,
  dryRun: boolean,
): Promise<AnnouncedState> {
  const { store, actor, changed } = administration;
  const { id } = partner;
  const receiver = await store.read.partners.findReceiver(id);
  if (!receiver?.url)
    throw new OperatorError(`${id} has no webhook receiver`, "Set one with `mainstay partner set-webhook`.");
  const { components } = await store.read.totals.ofPartner(id);
  const state: AnnouncedState = { critical: 0, warning: 0, queued: 0 };
  for (let offset = 0; offset < components; offset += STEP) {
    const step = await store.write(
      async (tx) => {
        const outbox = new Outbox(tx, partner, await tx.forPartner(id));
        const found: AnnouncedState = { critical: 0, warning: 0, queued: 0 };
        for (const component of await tx.components.page(id, { offset, limit: STEP })) {
          if (component.riskTier === "GOOD") continue;
          found[component.riskTier === "CRITICAL" ? "critical" : "warning"]++;
          // What a receiver knows that was told nothing: every component is GOOD at its birth.
          const before = component.announcedTier === component.riskTier ? "GOOD" : component.announcedTier;
          const message = tierChanged(knowledge, component, component, component.propertyName, before);
          if (!(await outbox.wants(message.event))) continue;
          found.queued++;
          if (dryRun) continue;
          await outbox.add({ ...message, orderKey: component.id });
          await tx.components.setAnnouncedTier(component.id, component.riskTier);
          await tx.giveWay();
        }
        return found;
      },
      { priority: "background", partnerId: id },
    );
    state.critical += step.critical;
    state.warning += step.warning;
    state.queued += step.queued;
    await pause();
  }
  if (dryRun) return state;
  await store.write(
    (tx) => tx.audit.record({ at: tx.now, actor, action: "partner.announce", subject: id, detail: state }),
    { partnerId: id },
  );
  changed(id);
  return state;
}
