import { AddressRateWindow, type RateWindow } from "../cluster/address-rate-window.ts";
import { DistributedRateWindow } from "../cluster/distributed-rate-window.ts";
import { PARTNER_CALLER } from "../cluster/rate-window.ts";
import type { Config } from "../config/settings.ts";
import type { FillRandom } from "../domain/ids.ts";
import { systemTimers } from "../event-loop.ts";
import { SlidingWindow } from "../http/sliding-window.ts";
import type { Durability, Store } from "../store/store.ts";

/** At least this many scrapes of an address are admitted where partners can send some too. */
const SCRAPES_PER_MINUTE = 60;

/** Returns the rate windows of callers: of this server, or shared by all on the database. */
export function rateWindows(deps: {
  limits: Config["limits"];
  store: Store;
  monotonicMs: () => number;
  random: FillRandom;
}): {
  partners: RateWindow;
  /** Returns the window of one listener; its name keeps its callers apart from those of others. */
  addresses(listener: string): RateWindow;
  /** Returns the window of scrapes: without a limit, unless everybody can send some. */
  scrapes(partnersReachThem: boolean): RateWindow;
} {
  const { limits, store, monotonicMs, random } = deps;
  const newHolder = () => Buffer.from(random(new Uint8Array(9))).toString("base64url");
  const shared = (limit: number, durability: Durability) =>
    new DistributedRateWindow({ store, monotonicMs, timers: systemTimers, newHolder }, limit, durability);
  const partners = shared(limits.perPartnerPerMinute, "durable");
  return {
    partners: store.isShared
      ? { admit: (partnerId) => partners.admit(PARTNER_CALLER + partnerId) }
      : new SlidingWindow(limits.perPartnerPerMinute),
    addresses(listener) {
      const own = new SlidingWindow(limits.perIpPerMinute);
      if (!store.isShared) return own;
      // Anybody may make the database count one, so the disk is not asked to.
      return new AddressRateWindow(shared(limits.perIpPerMinute, "process"), own, `address ${listener} `);
    },
    scrapes: (partnersReachThem) =>
      new SlidingWindow(partnersReachThem ? Math.max(SCRAPES_PER_MINUTE, limits.perIpPerMinute) : 0),
  };
}
