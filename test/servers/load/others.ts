import type { Json } from "../../support/json.ts";
import { credentialOf, type Partner, type RoundContext } from "../round-context.ts";

/** The time for which a revoked credential may still be accepted. */
const REVOKED_WITHIN_MS = 2_000;
const PAGE = 200;

/**
 * Follows the event stream as docs/partners.md describes it, each page through any server: history from the latest
 * timestamp on, up to the first component.
 */
export async function follow(context: RoundContext, partner: Partner, until: AbortSignal): Promise<void> {
  const seen = new Set<string>();
  context.record.streamed.set(partner.partner_id, seen);
  let since = new Date(Date.now() - 30 * 86_400_000).toISOString();
  for (let isLast = false; ; ) {
    isLast = until.aborted;
    since = await readPages(context, partner, since, seen);
    if (isLast) return;
    await Bun.sleep(context.random.between(200, 1_000));
  }
}

async function readPages(
  context: RoundContext,
  partner: Partner,
  since: string,
  seen: Set<string>,
): Promise<string> {
  let next = since;
  for (let offset = 0; ; offset += PAGE) {
    const path = `/v1/events?since=${encodeURIComponent(since)}&limit=${PAGE}&offset=${offset}`;
    const { body } = await context.caller.done(
      { method: "GET", path, credential: credentialOf(partner) },
      200,
    );
    for (const { type, timestamp, data } of body.events as Json[]) {
      if (type.startsWith("component.")) return next;
      seen.add(data.id);
      if (timestamp > next) next = timestamp;
    }
    if (body.events.length === 0 || offset + PAGE >= body.total) return next;
  }
}

/** Uses up a small budget as fast as possible, through all servers, to its last call. */
export async function spend(context: RoundContext, until: AbortSignal): Promise<void> {
  const { metered } = context.record;
  const request = { method: "GET" as const, path: "/v1/ping", credential: credentialOf(context.metered) };
  const ping = async () => {
    const answer = await context.caller.once(request);
    if (!answer) metered.unanswered++;
    else if (answer.status === 200) metered.accepted++;
    else if (answer.status === 503) metered.refused++;
    return answer?.status;
  };
  while (!until.aborted) {
    await ping();
    await Bun.sleep(context.random.below(100));
  }
}

/** Uses the rest of the budget after the faults: each server may have reserved a part of it. */
export async function spendTheRest(context: RoundContext): Promise<void> {
  const { metered } = context.record;
  const request = { method: "GET" as const, path: "/v1/ping", credential: credentialOf(context.metered) };
  for (const server of context.fleet.servers) {
    for (let refusals = 0; refusals < 3; ) {
      const answer = await context.caller.once(request, server);
      if (answer?.status === 200) metered.accepted++;
      else refusals++;
    }
  }
}

/** Changes a partner's key repeatedly, and tries each old key on all servers. */
export async function revoke(context: RoundContext, until: AbortSignal): Promise<void> {
  const { caller, record, revoked, administrator, fleet } = context;
  const path = `/admin/partners/${revoked.partner_id}/rotate-key`;
  let key = revoked.api_key;
  while (!until.aborted) {
    const credential = { "x-api-key": key };
    await Promise.all(fleet.servers.map((server) => caller.once(ping(credential), server)));
    // Sent once: a repetition would return a key while the lost answer had another.
    const answer = await caller.once({ method: "POST", path, credential: administrator, admin: true });
    const endedAt = performance.now();
    if (answer?.status !== 200) {
      key = await currentKey(context);
      continue;
    }
    key = answer.body.api_key;
    await Promise.all(
      fleet.servers.map(async (server) => {
        while (performance.now() - endedAt < REVOKED_WITHIN_MS) {
          await caller.once(ping(credential), server);
          await Bun.sleep(200);
        }
        const sentAfterMs = Math.round(performance.now() - endedAt);
        const late = await caller.once(ping(credential), server);
        if (late?.status === 200)
          record.wrong(`${server.name} took a key for valid that was ended ${sentAfterMs} ms before`);
      }),
    );
  }
}

const ping = (credential: Readonly<Record<string, string>>) => ({
  method: "GET" as const,
  path: "/v1/ping",
  credential,
});

/** Creates a key where the result of the last change is unknown. */
async function currentKey({ caller, revoked, administrator }: RoundContext): Promise<string> {
  const path = `/admin/partners/${revoked.partner_id}/rotate-key`;
  const request = { method: "POST" as const, path, credential: administrator, admin: true };
  return (await caller.done(request, 200)).body.api_key;
}

/** Takes the snapshot of the day repeatedly, by one server or by several at once. */
export async function score(context: RoundContext, until: AbortSignal): Promise<void> {
  const { caller, administrator, fleet, random } = context;
  const request = {
    method: "POST" as const,
    path: "/admin/jobs/snapshot/run",
    credential: administrator,
    admin: true,
  };
  while (!until.aborted) {
    await Bun.sleep(random.between(500, 1_500));
    const asked = random.chance(0.5) ? fleet.servers : [random.pick(fleet.servers)];
    await Promise.all(asked.map((server) => caller.once(request, server)));
  }
}
