import type { Observations } from "./observations.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** The percentage of first attempts that are answered with 500, so that they are repeated. */
const FAILED_PERCENT = 1;

/** The receiver of all partners' webhooks: records each request, and fails a few. */
export function startReceiver(record: Observations, random: SeededRandom): { url: string; stop(): void } {
  const failed = new Set<string>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    async fetch(request) {
      const deliveryId = request.headers.get("x-service-delivery") ?? "";
      const { event, data } = (await request.json()) as { event: string; data: object };
      const fails = !failed.has(deliveryId) && random.chance(FAILED_PERCENT / 100);
      if (fails) failed.add(deliveryId);
      const status = fails ? 500 : 200;
      record.arrivals.push({ deliveryId, event, data, status });
      return new Response(null, { status });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/hook`, stop: () => void server.stop(true) };
}
