/** Verifies webhooks and reads the event stream. Without dependencies, for Node.js 22, Bun and Deno. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Returns whether the signature of the body is valid. `header` is X-Service-Signature. */
export function isAuthentic(body: Uint8Array, header: string, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export type Entry = { type: string; timestamp: string; data: { id: string } };
type Page = { events: Entry[]; total: number };

/**
 * Returns the events after `since` and every component at risk, each one once, and the `since` for the next call. Reads all
 * pages, since a component that a sensor makes CRITICAL stands among the components at the end.
 */
export async function readEvents(base: string, key: string, since: string) {
  const seen = new Map<string, Entry>();
  let next = since;
  let calls = 0;
  for (let offset = 0; ; offset += 200) {
    const query = new URLSearchParams({ since, limit: "200", offset: String(offset) });
    const response = await fetch(`${base}/v1/events?${query}`, { headers: { "x-api-key": key } });
    calls++;
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    const { events, total } = (await response.json()) as Page;
    for (const entry of events) {
      const isHistory = !entry.type.startsWith("component.");
      if (isHistory && entry.timestamp > next) next = entry.timestamp;
      seen.set(entry.data.id, entry);
    }
    if (events.length === 0 || offset + 200 >= total)
      return { entries: [...seen.values()], since: next, calls };
  }
}
