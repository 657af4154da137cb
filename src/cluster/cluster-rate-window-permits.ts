import type { Instant } from "../domain/time.ts";

/*
 * Several servers count the calls of a caller together in one row of the database. The row has the calls that are known,
 * and permits that each server was given to admit calls without asking again. Calls made with a permit become known when
 * their server asks for more.
 *
 * With a limit of L, at most S = L/5 permits exist at a time. A call is
 * - refused only if L calls are known to be in the last minute, so that no caller below the limit is refused;
 * - admitted only if the calls that may be in the last minute, permits included, are at most L + S with it.
 * The two leave a gap only while a call is about to leave the minute, whose time is known to a fraction of a second. Then
 * the server asks again a moment later.
 */

/** Calls that were admitted between two instants of the database's clock. */
type KnownCalls = readonly [from: Instant, to: Instant, calls: number];

/** Permits of a server, which names itself by `holder`, and the instant until which it may use them. */
type PermitLease = readonly [holder: string, permits: number, expiresAt: Instant];

/** The calls of a caller: earliest first, and the permits that count as calls until a minute after they expire. */
export type CallerUsage = readonly [known: readonly KnownCalls[], leases: readonly PermitLease[]];

/** The table of usage by caller. */
export type RateWindowRows = {
  /** Locks the caller's row until the transaction ends, so that the requests of several servers are serialized. */
  lock(caller: string): Promise<{ usage: CallerUsage; now: Instant }>;
  save(caller: string, usage: CallerUsage): Promise<void>;
  /**
   * Deletes the expired rows among the next `limit` callers after `after`, in order; returns the last caller read,
   * undefined at the end.
   */
  prune(
    after: string,
    isExpired: (usage: CallerUsage, now: Instant) => boolean,
    limit: number,
  ): Promise<string | undefined>;
};

/** The report of a server on a caller, and the calls that wait for a decision. */
export type PermitRequest = {
  holder: string;
  /** The calls that the server admitted with permits since its last request. It must have no valid permits left. */
  made: readonly KnownCalls[];
  waiting: number;
};

type PermitDecision = {
  usage: CallerUsage;
  /** How many of the waiting calls are admitted. */
  admitted: number;
  /** How many further calls the server may admit in the next minute. */
  permits: number;
  /** If calls are refused: how long the limit stays reached. */
  refusedMs: number | undefined;
  /** If some of the waiting calls cannot be decided yet: when to ask again. */
  undecidedMs: number | undefined;
};

const MINUTE_MS = 60_000;
/** How long permits may be used. */
export const PERMITS_VALID_MS = MINUTE_MS;
/** Calls this close to each other are stored as one entry. */
const RESOLUTION_MS = 250;
/** A server gets this part of the permits that are left, so that some remain for others. */
const PART_OF_PERMITS = 1 / 4;

/** The key of a partner's row is its ID after this. */
export const PARTNER_CALLER = "partner ";

/** The permits that may exist at a time, and so the calls that may be admitted above the limit. */
export const maxClusterPermits = (limit: number): number => Math.floor(limit / 5);

/** Decides on the waiting calls of a server, and gives it permits unless the limit is near. */
export function decideClusterPermits(
  before: CallerUsage,
  now: Instant,
  limit: number,
  request: PermitRequest,
): PermitDecision {
  const { holder, made, waiting } = request;
  const [knownBefore, leasesBefore] = current(before, now);
  const known = [...knownBefore, ...current([made, []], now)[0]].sort(([a], [b]) => a - b);
  const leases = leasesBefore.filter(([of]) => of !== holder);
  const most = maxClusterPermits(limit);
  // A server with a higher limit in its settings may have taken more.
  const outstanding = Math.min(most, sum(leases));
  const possible = sum(known) + outstanding;
  const certain = known.filter(([from]) => from > now - MINUTE_MS);
  const below = limit - sum(certain);
  const admitted = Math.max(0, Math.min(waiting, below, limit + most - possible));
  const permits =
    admitted < waiting
      ? 0
      : Math.max(0, Math.min(Math.ceil((most - outstanding) * PART_OF_PERMITS), limit - possible - admitted));
  if (admitted > 0) known.push([now, now, admitted]);
  if (permits > 0) leases.push([holder, permits, now + PERMITS_VALID_MS]);
  const isRefused = admitted < waiting && below <= admitted;
  const leaving = known.filter(([from]) => from <= now - MINUTE_MS).map(([, to]) => to + MINUTE_MS - now);
  return {
    usage: [merged(known), leases],
    admitted,
    permits,
    refusedMs: isRefused ? refusedMs([...certain, [now, now, admitted]], now, limit) : undefined,
    undecidedMs: admitted < waiting && !isRefused ? Math.min(...leaving) : undefined,
  };
}

/** Returns whether nothing of the usage counts any more. */
export function isClusterUsageExpired(usage: CallerUsage, now: Instant): boolean {
  const [known, leases] = current(usage, now);
  return known.length + leases.length === 0;
}

/** Adds calls of an instant that is known to lie between two others. */
export function addClusterRateWindowCall(calls: KnownCalls[], from: Instant, to: Instant): void {
  const last = calls.at(-1);
  if (last && to - last[0] <= RESOLUTION_MS) calls[calls.length - 1] = [last[0], to, last[2] + 1];
  else calls.push([from, to, 1]);
}

/** Returns what counts still. Instants of the future come from a clock that was set back, and count from now. */
function current([known, leases]: CallerUsage, now: Instant): [KnownCalls[], PermitLease[]] {
  const latest = now + PERMITS_VALID_MS;
  return [
    known
      .filter(([, to]) => to > now - MINUTE_MS)
      .map(([from, to, calls]) => [Math.min(from, now), Math.min(to, now), calls]),
    leases
      .filter(([, , expiresAt]) => expiresAt > now - MINUTE_MS)
      .map(([holder, permits, expiresAt]) => [holder, permits, Math.min(expiresAt, latest)]),
  ];
}

const sum = (counted: readonly (KnownCalls | PermitLease)[]): number =>
  counted.reduce((total, entry) => total + (typeof entry[0] === "number" ? entry[2] : Number(entry[1])), 0);

/** Returns the time after which fewer than `limit` of the calls, earliest first, are certain to be in the last minute. */
function refusedMs(calls: readonly KnownCalls[], now: Instant, limit: number): number {
  let left = sum(calls);
  for (const [from, , count] of calls) {
    left -= count;
    if (left < limit) return from + MINUTE_MS - now;
  }
  return 0;
}

/** Joins entries that are close to each other, so that a busy caller has no more than a few hundred. */
function merged(calls: readonly KnownCalls[]): KnownCalls[] {
  const entries: KnownCalls[] = [];
  for (const [from, to, count] of calls) {
    const last = entries.at(-1);
    const end = Math.max(to, last?.[1] ?? 0);
    if (last && end - last[0] <= RESOLUTION_MS) entries[entries.length - 1] = [last[0], end, last[2] + count];
    else entries.push([from, to, count]);
  }
  return entries;
}
