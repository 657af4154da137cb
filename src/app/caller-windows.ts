import { AddressRateWindow, type RateWindow } from "../cluster/address-rate-window.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { DistributedRateWindow } from "../cluster/distributed-rate-window.ts";
import type { Config } from "../config/settings.ts";
import { SlidingWindow } from "../http/limits.ts";
import type { Durability, Store } from "../store/store.ts";

/** What counts callers' calls of a minute: by this server, or by all that share its database. */
export function callerWindows(world: {
  limits: Config["limits"];
  store: Store;
  ticks: () => number;
  cluster: Cluster;
}): {
  partners: RateWindow;
  /** Of one listener; its name tells its callers from those of another. */
  addresses(listener: string): { addressWindow: RateWindow; healthWindow: RateWindow };
} {
  const { limits, store, ticks, cluster } = world;
  const shared = (limit: number, durability: Durability) =>
    new DistributedRateWindow(store, limit, ticks, durability);
  return {
    partners: store.isShared
      ? shared(limits.perPartnerPerMinute, "durable")
      : new SlidingWindow(limits.perPartnerPerMinute),
    addresses(listener) {
      const own = new SlidingWindow(limits.perIpPerMinute, cluster.alive);
      const all = store.isShared
        ? // Anybody may make the database count one, so the disk is not asked to.
          new AddressRateWindow(shared(limits.perIpPerMinute, "process"), own, `${listener} `)
        : own;
      // A proxy asks it of each server, however many there are.
      const ofHealth = new SlidingWindow(limits.perIpPerMinute);
      return { addressWindow: all, healthWindow: store.isShared ? ofHealth : own };
    },
  };
}
