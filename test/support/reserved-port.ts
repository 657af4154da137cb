import { readFileSync } from "node:fs";
import { createServer } from "node:net";

const LOWEST = 10_000;

/**
 * Returns a port that stays free: below the range for outgoing connections and for listeners on any port. For a server
 * that has to be found on the same port later.
 */
export async function lastingPort(): Promise<number> {
  const [lowestGiven] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8")
    .split(/\s+/)
    .map(Number);
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (lowestGiven! - LOWEST));
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
