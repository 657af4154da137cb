import dns from "node:dns";

/** The numeric addresses of a host name, at least one; rejects with `code: "ENOTFOUND"` when it has none. */
export type Resolve = (hostname: string) => Promise<string[]>;

const SERVERS_REREAD_AFTER_MS = 5_000;

/**
 * Looks names up with c-ares, which reads the hosts file and waits without a thread. `dns.lookup` would wait in the
 * runtime's few worker threads: a handful of receivers whose name servers are dead then hold up every other lookup,
 * and file reads with them.
 */
export function createResolver(nowMs: () => number = () => performance.now()): Resolve {
  let readAtMs = Number.NEGATIVE_INFINITY;
  return async (hostname) => {
    if (nowMs() - readAtMs >= SERVERS_REREAD_AFTER_MS) {
      readAtMs = nowMs();
      rereadServers();
    }
    try {
      const found = await Bun.dns.lookup(hostname, { backend: "c-ares" });
      return found.map(({ address }) => address);
    } catch (error) {
      const code = String((error as { code?: unknown }).code).replace(/^DNS_/, "");
      throw Object.assign(new Error(`looking up ${hostname}: ${code}`), { code, syscall: "getaddrinfo" });
    }
  };
}

/** c-ares reads its name servers once, at the first lookup; a server that runs for years sees them change. */
function rereadServers(): void {
  const current = new dns.Resolver().getServers();
  if (current.length > 0 && current.join() !== dns.getServers().join()) dns.setServers(current);
}
