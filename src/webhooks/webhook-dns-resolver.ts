import dns from "node:dns";

/** Returns the numeric addresses of a host name, at least one. Rejects with `code: "ENOTFOUND"` if there is none. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

const SERVERS_REFRESH_MS = 5_000;

/**
 * Creates a resolver on c-ares, which reads the hosts file and needs no thread while it waits. `dns.lookup` blocks one of
 * the runtime's few worker threads: a handful of hosts with dead DNS servers would delay all other lookups and file
 * reads.
 */
export function createWebhookResolver(nowMs: () => number = () => performance.now()): ResolveHost {
  let readAtMs = Number.NEGATIVE_INFINITY;
  return async (hostname) => {
    if (nowMs() - readAtMs >= SERVERS_REFRESH_MS) {
      readAtMs = nowMs();
      refreshServers();
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

/** c-ares reads the DNS servers of the system only once, at the first lookup. */
function refreshServers(): void {
  const current = new dns.Resolver().getServers();
  if (current.length > 0 && current.join() !== dns.getServers().join()) dns.setServers(current);
}
