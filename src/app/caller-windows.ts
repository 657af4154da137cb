import type { Config } from "../config/settings.ts";
import { SlidingWindow } from "../http/limits.ts";
import type { Durability, Store } from "../store/store.ts";
import type { AmongServers } from "../usecases/among-servers.ts";
import { SharedAddresses, type Window } from "../usecases/shared-addresses.ts";
import { SharedMinute } from "../usecases/shared-minute.ts";

/** What counts callers' calls of a minute: by this server, or by all that share its database. */
export function callerWindows(world: {
  limits: Config["limits"];
  store: Store;
  ticks: () => number;
  among: AmongServers;
}): {
  partners: Window;
  /** Of one listener; its name tells its callers from those of another. */
  addresses(listener: string): { addressWindow: Window; healthWindow: Window };
} {
  const { limits, store, ticks, among } = world;
  const shared = (limit: number, durability: Durability) => new SharedMinute(store, limit, ticks, durability);
  return {
    partners: store.isShared
      ? shared(limits.perPartnerPerMinute, "durable")
      : new SlidingWindow(limits.perPartnerPerMinute),
    addresses(listener) {
      const own = new SlidingWindow(limits.perIpPerMinute, among.alive);
      const all = store.isShared
        ? // Anybody may make the database count one, so the disk is not asked to.
          new SharedAddresses(shared(limits.perIpPerMinute, "process"), own, `${listener} `)
        : own;
      // A proxy asks it of each server, however many there are.
      const ofHealth = new SlidingWindow(limits.perIpPerMinute);
      return { addressWindow: all, healthWindow: store.isShared ? ofHealth : own };
    },
  };
}
