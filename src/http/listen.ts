import { OperatorError } from "../domain/errors.ts";
import type { Fetch } from "./server.ts";

export type ListenOptions = {
  hostname: string;
  port: number;
  idleTimeoutS: number;
  fetch: Fetch;
};

export type Listener = {
  url: string;
  /** Refuses new connections and resolves when the requests under way are answered, or after the grace. */
  stop(graceMs: number): Promise<void>;
};

/** Above what any route reads, so that the refusal of a large body is ours: Bun's own has no body. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;

/** Listens on an address. Throws an OperatorError when it is taken or not ours to take. */
export function listen({ hostname, port, idleTimeoutS, fetch }: ListenOptions): Listener {
  const server = start({ hostname, port, idleTimeoutS, fetch });
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return {
    url: `http://${host}:${server.port}`,
    stop: async (graceMs) => {
      const finished = server.stop(false);
      await Promise.race([finished, Bun.sleep(graceMs)]);
      await server.stop(true);
    },
  };
}

function start({ hostname, port, idleTimeoutS, fetch }: ListenOptions) {
  try {
    return Bun.serve({
      hostname,
      port,
      idleTimeout: idleTimeoutS,
      maxRequestBodySize: MAX_BODY_BYTES,
      development: false,
      fetch: (request, server) => fetch(request, server.requestIP(request)?.address ?? "unknown"),
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new OperatorError(
        `the address ${hostname}:${port} is in use by another program`,
        "Stop that program, or choose another port with --port, server.port or admin.listen (0 takes a free one).",
      );
    throw new OperatorError(
      `the address ${hostname}:${port} cannot be listened on (${code ?? String(error)})`,
      "Check server.host and admin.listen: the address must be one of this machine's, and ports below 1024 need a privilege.",
    );
  }
}
