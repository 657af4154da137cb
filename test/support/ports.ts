import { readFileSync } from "node:fs";
import { createServer } from "node:net";

const LOWEST = 10_000;

/**
 * A free port that stays free: below those that the system gives to connections, and to whoever listens on any. For a
 * server that is to be found again where it was, or missed there.
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
