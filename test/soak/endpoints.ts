import { type Behavior, type Received, startReceiver } from "../support/receiver.ts";

/** The endpoints of partners, by the path of their URL: most of them bad in one way each. */
const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  good: { status: 200, body: "ok" },
  slow: { status: 200, body: "ok", delayMs: 3_000 },
  failing: { status: 500, body: "no" },
  resetting: "reset",
  huge: "gigabyte",
  packed: "gzip-bomb",
  silent: "hang",
  truncating: "truncated",
};

export const ENDPOINTS = Object.keys(BEHAVIORS);

/** Starts the endpoints of all partners. */
export async function startEndpoints() {
  const seen = { received: 0 };
  const receiver = await startReceiver({
    behave: ({ path }: Received) => {
      seen.received++;
      // Nobody reads what was received: the driver must not grow either.
      receiver.received.length = 0;
      return BEHAVIORS[path.slice(1)] ?? { status: 404 };
    },
  });
  return {
    url: (name: string) => `http://127.0.0.1:${receiver.port}/${name}`,
    seen,
    close: () => receiver.close(),
  };
}
