import { median } from "./load.ts";
import type { Credentials } from "./mainstay.ts";

/** Asks for a page of a partner. */
export const pageOf =
  (url: string, { api_key }: Credentials) =>
  () =>
    fetch(`${url}/v1/properties?limit=1`, { headers: { "x-api-key": api_key } });

/** Sends again and again, one at a time, until it is stopped. */
export function startPings(send: (n: number) => Promise<Response>) {
  const times: number[] = [];
  let going = true;
  const done = (async () => {
    for (let n = 0; going; n++) {
      const startedAt = performance.now();
      const answer = await send(n);
      await answer.text();
      if (!answer.ok) throw new Error(`a ping was answered ${answer.status}`);
      times.push(performance.now() - startedAt);
      await Bun.sleep(1);
    }
  })();
  return {
    async stop() {
      going = false;
      await done;
      return { slowestMs: Math.max(...times), medianMs: median(times) };
    },
  };
}
