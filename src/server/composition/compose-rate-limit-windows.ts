import { PARTNER_CALLER } from "../../cluster/cluster-rate-window-permits.ts";
import {
  DistributedAddressRateWindow,
  type RateWindow,
} from "../../cluster/distributed-address-rate-window.ts";
import { DistributedRateWindow } from "../../cluster/distributed-rate-window.ts";
import type { Config } from "../../config/settings.ts";
import type { FillRandom } from "../../domain/ids/record-ids.ts";
import { systemTimers } from "../../event-loop/event-loop.ts";
import { RequestSlidingWindow } from "../../http/request-sliding-window.ts";
import type { Durability, Store } from "../../store/store.ts";

/** At least this many scrapes of an address are admitted where partners can send some too. */
const SCRAPES_PER_MINUTE = 60;

/** The attempts per minute to enter the passcode of an embed, of an address and of all addresses together. */
const PASSCODES_OF_ADDRESS = 5;
const PASSCODES_OF_EMBED = 30;

/** Returns the rate windows of callers: of this server, or shared by all on the database. */
export function composeRateLimitWindows(deps: {
  limits: Config["limits"];
  store: Store;
  monotonicMs: () => number;
  random: FillRandom;
}): {
  partners: RateWindow;
  /** Returns the window of one listener; its name keeps its callers apart from those of others. */
  addresses(listener: string): RateWindow;
  /** The windows of attempts to enter the passcode of an embed: of an address, and of all. */
  passcodes: { byAddress: RateWindow; byEmbed: RateWindow };
  /** Returns the window of scrapes: without a limit, unless everybody can send some. */
  scrapes(partnersReachThem: boolean): RateWindow;
} {
  const { limits, store, monotonicMs, random } = deps;
  const newHolder = () => Buffer.from(random(new Uint8Array(9))).toString("base64url");
  const shared = (limit: number, durability: Durability) =>
    new DistributedRateWindow({ store, monotonicMs, timers: systemTimers, newHolder }, limit, durability);
  /** Anybody may make the database count a call of these, so the disk is not asked to. */
  const anonymous = (limit: number, prefix: string) => {
    const own = new RequestSlidingWindow(limit);
    return store.isShared ? new DistributedAddressRateWindow(shared(limit, "process"), own, prefix) : own;
  };
  const partners = shared(limits.perPartnerPerMinute, "durable");
  return {
    partners: store.isShared
      ? { admit: (partnerId) => partners.admit(PARTNER_CALLER + partnerId) }
      : new RequestSlidingWindow(limits.perPartnerPerMinute),
    addresses: (listener) => anonymous(limits.perIpPerMinute, `address ${listener} `),
    passcodes: {
      byAddress: anonymous(PASSCODES_OF_ADDRESS, "passcode of address "),
      byEmbed: anonymous(PASSCODES_OF_EMBED, "passcode "),
    },
    scrapes: (partnersReachThem) =>
      new RequestSlidingWindow(partnersReachThem ? Math.max(SCRAPES_PER_MINUTE, limits.perIpPerMinute) : 0),
  };
}
