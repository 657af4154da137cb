import { type HeldLock, NO_LOCK } from "../../cluster/cluster-locks.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { Partner, WebhookEndpoint } from "../../domain/partner.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";
import type { AdminUseCaseDeps } from "../partners/create-partner-and-credentials.ts";
import { announceTiers } from "./announce-tiers.ts";
import { AnnouncementOutbox } from "./announcement-outbox.ts";

type AnnounceDeps = {
  administration: AdminUseCaseDeps;
  knowledge: Knowledge;
  /** Yields to other writes and requests between two steps. */
  yieldNow: () => Promise<void>;
  /** The lock on the partner, if others could do the same. */
  lock?: HeldLock;
};

type AnnouncedState = { critical: number; warning: number; queued: number };

/** Components per transaction. */
const STEP = 200;
const REPORTED = [
  { tier: "CRITICAL", event: "component.critical" },
  { tier: "WARNING", event: "component.warning" },
] as const;

/**
 * Queues the current state for a partner's webhook endpoint, one delivery for each component that is CRITICAL or
 * WARNING: for an endpoint that was configured after these changes. The components count as announced afterwards,
 * so no snapshot announces them again. With `dryRun` it only counts. Running it twice sends duplicates.
 * @throws OperatorError if the partner has no enabled webhook endpoint.
 */
export async function announceCurrentTiers(
  { administration, knowledge, yieldNow, lock = NO_LOCK }: AnnounceDeps,
  partner: Partner,
  dryRun: boolean,
): Promise<AnnouncedState> {
  const { store, actor, changed } = administration;
  const { id } = partner;
  const endpoint = await store.read.partners.findEndpoint(id);
  if (!endpoint?.url)
    throw new OperatorError(`${id} has no webhook endpoint`, "Set one with `mainstay partner set-webhook`.");
  if (dryRun) return await countAnnouncements(administration, id, endpoint);
  const state: AnnouncedState = { critical: 0, warning: 0, queued: 0 };
  for (const { tier, event } of REPORTED)
    for (let after = 0; ; await yieldNow()) {
      const step = await store.write(
        async (tx) => {
          await lock.confirm(tx);
          const outbox = new AnnouncementOutbox(tx, partner, await tx.forPartner(id));
          const rows = await tx.components.tierAfter(id, tier, after, STEP);
          const prices = await loadCurrentPartnerPrices(tx, knowledge, id);
          const changes = [];
          for (const component of rows) {
            // The endpoint has received nothing yet: every component starts as GOOD.
            const previousTier = component.announcedTier === tier ? "GOOD" : component.announcedTier;
            if (await outbox.isSubscribed(event)) changes.push({ component, previousTier });
          }
          const queued = await announceTiers(tx, prices, outbox, changes);
          for (const { component } of changes) await tx.components.setAnnouncedTier(component.id, tier);
          return { found: rows.length, queued, last: rows.at(-1)?.seq ?? after };
        },
        { priority: "background", partnerId: id },
      );
      state[tier === "CRITICAL" ? "critical" : "warning"] += step.found;
      state.queued += step.queued;
      after = step.last;
      if (step.found < STEP) break;
    }
  await store.write(
    (tx) => tx.audit.record({ at: tx.now, actor, action: "partner.announce", subject: id, detail: state }),
    { partnerId: id },
  );
  changed(id);
  return state;
}

/** Returns the numbers from the maintained counters. */
async function countAnnouncements(
  { store: { read } }: AdminUseCaseDeps,
  partnerId: string,
  { events }: WebhookEndpoint,
): Promise<AnnouncedState> {
  const [critical, warning] = await Promise.all(
    REPORTED.map(({ tier }) => read.components.countTier(partnerId, tier)),
  );
  const counts = { CRITICAL: critical!, WARNING: warning! };
  const queued = REPORTED.filter(({ event }) => events === null || events.includes(event)).reduce(
    (sum, { tier }) => sum + counts[tier],
    0,
  );
  return { critical: counts.CRITICAL, warning: counts.WARNING, queued };
}
