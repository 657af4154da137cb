import { readFileSync } from "node:fs";
import { createServer } from "node:net";

/** Ports below need rights on some systems, and are used by other programs. */
const LOWEST = 1_025;
const HIGHEST = 65_535;

/**
 * Returns a port that stays free: outside of the range for outgoing connections and for listeners on any port. For a server
 * that has to be found on the same port later. Throws if the range has all ports.
 */
export async function lastingPort(): Promise<number> {
  const [lowestGiven, highestGiven] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8")
    .split(/\s+/)
    .map(Number);
  const [below, above] = [Math.max(0, lowestGiven! - LOWEST), HIGHEST - highestGiven!];
  if (below + above === 0) throw new Error("net.ipv4.ip_local_port_range leaves no port for tests");
  for (;;) {
    const nth = Math.floor(Math.random() * (below + above));
    const port = nth < below ? LOWEST + nth : highestGiven! + 1 + nth - below;
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
