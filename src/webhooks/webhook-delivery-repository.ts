import type { Instant } from "../domain/time.ts";
import type { AttemptEndpoint, AttemptResult, PendingDelivery } from "./attempt-webhook-delivery.ts";
import type { EndpointHealth } from "./webhook-endpoint-health.ts";

/** The deliveries in the store. `test/webhooks/webhook-delivery-repository.test.ts` runs against every implementation. */
export type DeliveryRepository = {
  /**
   * Returns the enabled partners with a due delivery: a pending one scheduled for `now` or earlier, or further ahead
   * than MAX_DELAY_MS.
   */
  duePartners(now: Instant): Promise<string[]>;
  /**
   * Returns the oldest due deliveries of an enabled partner that are not in `excluding`, in creation order. Omits a
   * delivery with an order key while an older pending one with that key is scheduled for later.
   */
  due(
    partnerId: string,
    now: Instant,
    limit: number,
    excluding: ReadonlySet<string>,
  ): Promise<PendingDelivery[]>;
  /** Returns the earliest scheduled attempt after `now`. */
  nextDueAt(now: Instant): Promise<Instant | null>;
  /** Returns where to send the partner's deliveries, or null if it has no endpoint or is disabled. */
  endpoint(partnerId: string): Promise<RevisedEndpoint | null>;
  /**
   * Logs the attempts and updates their deliveries in one durable transaction, all or none. Skips a delivery that no
   * longer exists, an attempt whose lease another server has acquired since, and an attempt that is logged already.
   */
  record(results: AttemptResult[]): Promise<void>;
  endpointState(partnerId: string): Promise<EndpointState>;
  /**
   * Saves the health of an endpoint. Does nothing if an operator has changed the endpoint since `revision` was read, or
   * if another server has acquired the lease of `epoch` since.
   */
  saveEndpointHealth(
    partnerId: string,
    health: EndpointHealth,
    revision: number,
    epoch: number,
  ): Promise<void>;
};

/** An endpoint with the revision at which it was read. */
export type RevisedEndpoint = AttemptEndpoint & Pick<EndpointState, "revision">;

type EndpointState = {
  /** The health that was saved last; HEALTHY if none was. */
  health: EndpointHealth;
  /** The number of concurrent deliveries; null for the default of the options. */
  concurrency: number | null;
  /** Incremented with every change by an operator. */
  revision: number;
};
