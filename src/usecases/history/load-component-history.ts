import type { Component } from "../../domain/component.ts";
import type { ServiceEvent } from "../../domain/service-event.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { Store } from "../../store/store.ts";

/** Events per query: a page with the longest notes takes a few milliseconds. */
const STEP = 1_000;
/** The approximate memory of an event without its notes, in bytes. */
const EVENT_BYTES = 800;

/**
 * Returns the events of a component and of its appliance, newest first, read in pages. `reserve` receives the bytes
 * that are retained as they grow; may throw to end the work.
 */
export async function loadComponentHistory(
  store: Pick<Store, "read" | "inReadSnapshot">,
  component: Pick<Component, "id" | "applianceId">,
  yieldNow: Yield,
  reserve: (bytes: number) => void,
): Promise<ServiceEvent[]> {
  const first = await store.read.serviceEvents.ofComponent(component, STEP);
  if (first.length < STEP) {
    reserve(bytesOf(first));
    return first;
  }
  return await store.inReadSnapshot(async (read) => {
    const all: ServiceEvent[] = [];
    for (;;) {
      const some = await read.serviceEvents.ofComponent(component, STEP, all.at(-1));
      reserve(bytesOf(some));
      for (const event of some) all.push(event);
      if (some.length < STEP) return all;
      await yieldNow();
    }
  });
}

const bytesOf = (events: readonly ServiceEvent[]): number =>
  events.reduce((sum, { notes }) => sum + EVENT_BYTES + (notes?.length ?? 0), 0);
