import type { Component } from "../../domain/component.ts";
import type { ServiceEvent } from "../../domain/service-event.ts";
import { yieldToEventLoop } from "../../event-loop.ts";
import type { Store } from "../../store/store.ts";

/** Events that are read in one step: notes may be long. */
const STEP = 100;
/** What an event takes beside its notes. */
const EVENT_BYTES = 800;

/**
 * A component's events and its appliance's, the newest first, read in steps. `hold` is told how many bytes more there
 * are; what it throws ends it.
 */
export async function componentHistory(
  store: Store,
  component: Component,
  hold: (bytes: number) => void,
): Promise<ServiceEvent[]> {
  const first = await store.read.serviceEvents.ofComponent(component, undefined, STEP);
  if (first.length < STEP) return first;
  return await store.inReadSnapshot(async (read) => {
    const all: ServiceEvent[] = [];
    for (;;) {
      const some = await read.serviceEvents.ofComponent(component, all.at(-1), STEP);
      let bytes = some.length * EVENT_BYTES;
      for (const { notes } of some) bytes += notes?.length ?? 0;
      hold(bytes);
      for (const event of some) all.push(event);
      if (some.length < STEP) return all;
      await yieldToEventLoop();
    }
  });
}
