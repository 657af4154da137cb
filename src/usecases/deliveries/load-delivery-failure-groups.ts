import type { FailureGroup } from "../../domain/delivery.ts";
import type { Instant } from "../../domain/time.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { Stores } from "../../store/stores.ts";

/** The most groups that are returned. */
const MAX_GROUPS = 100;
/** The most errors of a partner that are looked up, in alphabetical order: many may be older than the period. */
const MAX_ERRORS = 1_000;

/** A group with the name and the endpoint of its partner. */
type EndpointFailures = FailureGroup & { partnerName: string; url: string | null };

/**
 * Returns failed deliveries of a period by endpoint and last error, largest groups first. Errors are found one by one in
 * their index, and counted up to a limit: no step reads more than 10,000 entries.
 */
export async function loadDeliveryFailureGroups(
  read: Pick<Stores, "deliveryLog" | "partners">,
  period: { from: Instant; to: Instant },
  partnerId: string | undefined,
  yieldNow: Yield,
): Promise<EndpointFailures[]> {
  const urls = new Map((await read.partners.listEndpoints()).map(({ partnerId: id, url }) => [id, url]));
  const names = new Map((await read.partners.list()).map(({ id, name }) => [id, name]));
  // Most partners of many have no failed delivery: a read for each would hold up other requests.
  const next = async (after?: string) =>
    partnerId === undefined
      ? await read.deliveryLog.nextFailing(after)
      : after === undefined
        ? partnerId
        : undefined;
  const groups: EndpointFailures[] = [];
  for (let id = await next(); id !== undefined; id = await next(id)) {
    const partnerName = names.get(id);
    // A partner that was created after the names were read, or an unknown one.
    if (partnerName === undefined) continue;
    let error: string | undefined;
    for (let looked = 0; looked < MAX_ERRORS; looked++) {
      error = await read.deliveryLog.nextError(id, error);
      if (error === undefined) break;
      const group = await read.deliveryLog.failureGroup({ partnerId: id, error, ...period });
      if (group) groups.push({ ...group, partnerName, url: urls.get(id) ?? null });
      await yieldNow();
    }
  }
  return groups.sort((one, other) => other.count - one.count).slice(0, MAX_GROUPS);
}
