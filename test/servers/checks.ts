import type { FinalState, PartnerState } from "./final-state.ts";
import type { Observations, ReceivedWebhook, Tier, Write } from "./observations.ts";

/** The promises that must hold after a round, by name: each returns a sentence per violation. */
export const CHECKS: { [name: string]: (record: Observations, found: FinalState) => string[] } = {
  "every acknowledged write is there once": acknowledgedOnce,
  "a key made one thing": oneThingAKey,
  "sums agree with lists": sums,
  "each tier change is announced once": announcedOnce,
  "every event is delivered, as one delivery": delivered,
  "a component's deliveries arrive in order": inOrder,
  "what comes late of a delivery changes nothing": fenced,
  "the snapshot of the day is taken once": oneSnapshot,
  "the budget is not exceeded, and not forfeited": budget,
  "the event stream misses nothing": streamed,
};

function acknowledgedOnce(record: Observations, { partners }: FinalState): string[] {
  return partners.flatMap((partner) => {
    const { partnerId, properties, appliances } = partner;
    return [
      ...compare("property", record.written(partnerId, "property"), properties),
      ...compare("appliance", record.written(partnerId, "appliance"), appliances),
      ...countEvents(record, partner),
    ];
  });
}

/** Checks that the list of a kind has every acknowledged record once, and no other where clients have written none. */
function compare(kind: string, writes: readonly Write[], listed: readonly string[]): string[] {
  if (writes.length === 0) return [];
  const counts = Map.groupBy(listed, (id) => id);
  const known = new Set(writes.flatMap(({ ids }) => [...ids]));
  return [
    ...[...known].filter((id) => !counts.has(id)).map((id) => `${kind} ${id} was acknowledged and is gone`),
    ...[...counts].filter(([, { length }]) => length > 1).map(([id]) => `${kind} ${id} is listed twice`),
    ...listed.filter((id) => !known.has(id)).map((id) => `${kind} ${id} is there and answers to no key`),
  ];
}

function countEvents(record: Observations, { events }: PartnerState): string[] {
  return [...events]
    .filter(([id, count]) => count !== record.events.get(id))
    .map(
      ([id, count]) =>
        `${id} has ${count} service events, of which ${record.events.get(id)} were acknowledged`,
    );
}

function oneThingAKey({ writes }: Observations): string[] {
  return [...writes.values()]
    .filter(({ ids }) => ids.size > 1)
    .map(({ key, kind, ids }) => `"${key}" made several of ${kind}: ${[...ids].join(", ")}`);
}

function sums(_: Observations, { partners }: FinalState): string[] {
  return partners.flatMap(({ partnerId, properties, components, totals }) => {
    const counted = {
      properties: properties.length,
      critical: components.filter(({ tier }) => tier === "CRITICAL").length,
      warning: components.filter(({ tier }) => tier === "WARNING").length,
    };
    return (["properties", "critical", "warning"] as const)
      .filter((name) => totals[name] !== counted[name])
      .map((name) => `${partnerId}: the sum of ${name} is ${totals[name]}, the lists have ${counted[name]}`);
  });
}

/** Returns the first arrival of each accepted delivery, in order of arrival. */
function taken({ arrivals }: Observations): ReceivedWebhook[] {
  const known = new Set<string>();
  return arrivals.filter(({ deliveryId, status }) => {
    if (status !== 200 || known.has(deliveryId)) return false;
    known.add(deliveryId);
    return true;
  });
}

const isAnnouncement = ({ data }: ReceivedWebhook) => data.risk_tier !== undefined;

/**
 * Returns the announced tiers of a component in the order in which they follow each other, whatever the order of
 * arrival.
 */
function announcedOnce(record: Observations, { partners }: FinalState): string[] {
  const announcements = Map.groupBy(taken(record).filter(isAnnouncement), ({ data }) => data.component_id!);
  const components = partners.flatMap((partner) => partner.components);
  return components.flatMap(({ id, tier }) => {
    const reported = (announcements.get(id) ?? []).map(
      ({ data }) => `${data.previous_tier} to ${data.risk_tier}`,
    );
    const known = withoutRepeats(["GOOD", ...(record.tiers.get(id) ?? [])]);
    // A snapshot may have come first and announced the tier of a new component, which an event then changed in silence.
    const born = (["WARNING", "CRITICAL"] as const).map((first) => bornAs(first, known));
    const unread = [withoutRepeats(["GOOD", tier]), ...(record.events.has(id) ? born : [])];
    const possible = record.tiers.has(id) ? [known, ...born] : unread;
    if (possible.some((tiers) => sameChanges(changes(tiers), reported))) return [];
    return [
      `${id} was announced ${reported.join(", ") || "nothing"}; it became ${known.join(", ")}, now ${tier}`,
    ];
  });
}

const withoutRepeats = (tiers: readonly Tier[]) => tiers.filter((tier, nth) => tier !== tiers[nth - 1]);
const bornAs = (born: Tier, [good, ...after]: readonly Tier[]) => withoutRepeats([good!, born, ...after]);
const changes = (tiers: readonly Tier[]) => tiers.slice(1).map((tier, nth) => `${tiers[nth]} to ${tier}`);
const sameChanges = (one: readonly string[], other: readonly string[]) =>
  one.toSorted().join() === other.toSorted().join();

/** The event that reports a kind of write, and the field of its data that identifies the record. */
const REPORTED = {
  property: ["property.created", "property_id"],
  appliance: ["appliance.created", "appliance_id"],
  event: ["service_event.created", "event_id"],
  reading: ["sensor.smart", "event_id"],
} as const;

function delivered(record: Observations, { deliveries }: FinalState): string[] {
  const known = new Map(
    Object.values(REPORTED).map(([event, field]) => [
      event,
      Map.groupBy(
        taken(record).filter((arrival) => arrival.event === event),
        ({ data }) => (data as { [name: string]: string })[field]!,
      ),
    ]),
  );
  const faults = [...record.writes.values()].flatMap(({ kind, ids }) => {
    const [event] = REPORTED[kind];
    return [...ids].flatMap((id) => {
      const times = known.get(event)!.get(id)?.length ?? 0;
      if (times === 1) return [];
      return [`${event} of ${id} ${times === 0 ? "never arrived" : `arrived as ${times} deliveries`}`];
    });
  });
  const arrived = new Set(taken(record).map(({ deliveryId }) => deliveryId));
  const unlike = deliveries.filter(({ id, status }) => (status === "delivered") !== arrived.has(id));
  return [
    ...faults,
    ...unlike.map(
      ({ id, status }) => `${id} is ${status} in the log, and ${arrived.has(id) ? "" : "never "}arrived`,
    ),
  ];
}

function inOrder(record: Observations): string[] {
  const byComponent = Map.groupBy(taken(record).filter(isAnnouncement), ({ data }) => data.component_id!);
  return [...byComponent].flatMap(([id, announcements]) => {
    const follows = announcements.every(
      ({ data }, nth) => data.previous_tier === (nth === 0 ? "GOOD" : announcements[nth - 1]!.data.risk_tier),
    );
    const reported = announcements.map(({ data }) => `${data.previous_tier} to ${data.risk_tier}`);
    return follows ? [] : [`${id} got ${reported.join(", ")}`];
  });
}

function fenced(_: Observations, { deliveries }: FinalState): string[] {
  return deliveries
    .filter(
      ({ attempts }) => attempts.includes("delivered") && attempts.indexOf("delivered") < attempts.length - 1,
    )
    .map(({ id, attempts }) => `${id} has the attempts ${attempts.join(", ")}`);
}

function oneSnapshot(_: Observations, { snapshots, partners }: FinalState): string[] {
  const days = Map.groupBy(snapshots, ({ date }) => date);
  return [
    ...[...days].filter(([, { length }]) => length > 1).map(([day]) => `${day} was taken several times`),
    ...snapshots.filter(({ finished }) => !finished).map(({ date }) => `${date} was never finished`),
    ...(snapshots.length === 0 ? ["no snapshot was taken"] : []),
    ...partners.flatMap(({ trendPoints }) =>
      [...trendPoints]
        .filter(([, points]) => points > days.size)
        .map(([id, points]) => `${id} has ${points} trend points of ${days.size} days`),
    ),
  ];
}

/** The most calls that a server forfeits when it is killed, or cannot know whether it has reserved them. */
const FORFEITED = 10;
const MOST_UNSEEN = 3;

function budget({ metered, kills }: Observations): string[] {
  const { budget, accepted, unanswered, refused } = metered;
  const least = budget - unanswered - FORFEITED * (kills + Math.min(refused, MOST_UNSEEN));
  return [
    ...(accepted > budget ? [`${accepted} calls were taken of a budget of ${budget}`] : []),
    ...(accepted < least
      ? [
          `${accepted} calls were taken of a budget of ${budget}, after ${kills} kills and ${unanswered} unanswered`,
        ]
      : []),
  ];
}

function streamed({ writes, streamed }: Observations): string[] {
  return [...writes.values()]
    .filter(({ kind }) => kind !== "reading")
    .flatMap(({ partnerId, kind, ids }) =>
      [...ids]
        .filter((id) => !streamed.get(partnerId)?.has(id))
        .map((id) => `${partnerId} never came by ${kind} ${id}`),
    );
}
