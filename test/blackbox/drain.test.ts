import { beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { eventually } from "../support/eventually.ts";
import { type Installation, type Partner, useMainstay } from "../support/mainstay.ts";
import { usePostgres } from "../support/postgres.ts";
import { serverStarter } from "../support/several-servers.ts";

const { install, serve } = useMainstay({ inFolder: true });
const postgres = usePostgres();

describe("a server that drains", () => {
  let server: Installation;
  let partner: Partner;
  beforeAll(async () => {
    server = await serve({ server: { drain_s: 600, shutdown_grace_s: 600 } });
    partner = await server.createPartner();
  });

  // Rule: drain
  test("serves requests, asks clients to close their connections, and closes idle ones without a reset", async () => {
    const idle = await Connection.open(server.url);
    const busy = await Connection.open(server.url);
    expect((await idle.get("/health")).status).toBe(200);
    const before = await busy.get("/v1/ping", partner.api_key);
    expect([before.status, before.headers.get("connection")]).not.toContain("close");

    process.kill(server.pid, "SIGTERM");
    await eventually(async () => {
      const health = await server.anonymous.ask("GET", "/health", 503);
      expect(health.body).toMatchObject({ status: "draining", checks: { database: "ok" } });
    });
    expect(await server.logged(({ msg }) => msg === "draining")).toMatchObject({ drain_s: 600 });
    const last = await busy.get("/v1/ping", partner.api_key);
    expect([last.status, last.headers.get("connection")]).toEqual([200, "close"]);
    expect(await busy.closed).toBe("in order");
    const { code, stderr } = await server.run("healthcheck", "--port", new URL(server.url).port);
    expect([code, stderr]).toEqual([1, expect.stringContaining("status draining")]);

    expect(await server.stop()).toBe(0);
    expect(await idle.closed).toBe("in order");
    expect(server.log.at(-1)).toMatchObject({ msg: "stopped" });
  });
});

// Rule: drain
test("a server without others stops at once by default", async () => {
  const server = await serve({ server: { drain_s: "auto" } });
  await server.stop();
  expect(server.log.map(({ msg }) => msg)).not.toContain("draining");
});

// Rule: drain
test("a load balancer that checks the health loses no request when one of two servers stops", async () => {
  let [drainS, failures] = await failuresDuringStop(1);
  // A machine that pauses the balancer for half of the time needs a longer one.
  while (drainS < 60 && failures === "paused") [drainS, failures] = await failuresDuringStop(drainS * 5);
  expect(failures).toEqual([]);
});

/** Stops one of two servers that a load balancer uses. Returns the failed requests, unless the balancer was paused. */
async function failuresDuringStop(drainS: number): Promise<[drainS: number, failures: string[] | "paused"]> {
  const url = await postgres.newInstallation();
  const serverOn = serverStarter(install);
  const first = await serverOn(url, undefined, { server: { drain_s: drainS } });
  const second = await serverOn(url, first);
  const addresses = [first.url, second.url] as const;
  const partner = await first.createPartner();
  const balancer = new LoadBalancer(addresses, partner.api_key);
  const callers = Array.from({ length: 4 }, () => balancer.callUntilEnd());
  await eventually(() => expect(balancer.served(addresses[0])).toBeGreaterThan(20));
  await first.stop();
  balancer.end();
  await Promise.all(callers);
  if (balancer.longestPauseMs > drainS * 500) return [drainS, "paused"];
  expect(balancer.served(addresses[1])).toBeGreaterThan(balancer.served(addresses[0]));
  return [drainS, balancer.failures];
}

type Answer = { status: number; headers: Headers };

/** A connection that stays open between requests, as those of a load balancer do. */
class Connection {
  #received = "";
  #onData = () => {};
  #isOpen = true;
  readonly closed: Promise<"in order" | "by a reset">;

  private constructor(private readonly socket: Socket) {
    let end: "in order" | "by a reset" = "in order";
    socket.on("data", (chunk) => {
      this.#received += chunk;
      this.#onData();
    });
    socket.on("error", () => {
      end = "by a reset";
    });
    this.closed = new Promise((resolve) =>
      socket.once("close", () => {
        this.#isOpen = false;
        this.#onData();
        resolve(end);
      }),
    );
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const connection = new Connection(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", () => resolve());
      socket.once("error", reject);
    });
    return connection;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Rejects if the connection ends before the answer is complete. */
  async get(path: string, apiKey = "none"): Promise<Answer> {
    this.#received = "";
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${apiKey}\r\n\r\n`);
    return await new Promise((resolve, reject) => {
      this.#onData = () => {
        const [head, body] = this.#received.split("\r\n\r\n");
        const [status, ...lines] = head!.split("\r\n");
        const headers = new Headers(lines.map((line) => line.split(": ", 2) as [string, string]));
        if (body !== undefined && body.length >= Number(headers.get("content-length")))
          resolve({ status: Number(status!.split(" ")[1]), headers });
        else if (!this.#isOpen)
          reject(new Error(`the connection closed after ${this.#received.length} bytes`));
      };
      this.#onData();
    });
  }

  end(): void {
    this.socket.end();
  }
}

/** A load balancer with a pool of connections: chooses among the servers whose latest health check has passed. */
class LoadBalancer {
  static readonly #CHECK_INTERVAL_MS = 100;
  readonly failures: string[] = [];
  /** The longest time between two results of a server's health check. */
  longestPauseMs = 0;
  readonly #checkedAt = new Map<string, number>();
  readonly #pools: Map<string, Connection[]>;
  readonly #served = new Map<string, number>();
  readonly #usable: Set<string>;
  readonly #checks: Timer;
  #calls = 0;
  #hasEnded = false;

  constructor(
    servers: readonly string[],
    private readonly apiKey: string,
  ) {
    this.#pools = new Map(servers.map((server) => [server, []]));
    this.#usable = new Set(servers);
    this.#checks = setInterval(() => {
      for (const server of servers) void this.#check(server);
    }, LoadBalancer.#CHECK_INTERVAL_MS);
  }

  served(server: string): number {
    return this.#served.get(server) ?? 0;
  }

  end(): void {
    this.#hasEnded = true;
    clearInterval(this.#checks);
  }

  async callUntilEnd(): Promise<void> {
    while (!this.#hasEnded) {
      const usable = [...this.#usable];
      const server = usable[this.#calls++ % usable.length]!;
      try {
        const { status } = await this.#call(server);
        if (status !== 200) this.failures.push(`${server} answered ${status}`);
        this.#served.set(server, this.served(server) + 1);
      } catch (error) {
        this.failures.push(`${server}: ${error}`);
      }
    }
    for (const connection of [...this.#pools.values()].flat()) connection.end();
  }

  async #call(server: string): Promise<Answer> {
    const pool = this.#pools.get(server)!;
    let connection = pool.pop();
    while (connection && !connection.isOpen) connection = pool.pop();
    connection ??= await Connection.open(server);
    const answer = await connection.get("/v1/ping", this.apiKey);
    if (answer.headers.get("connection") !== "close") pool.push(connection);
    return answer;
  }

  async #check(server: string): Promise<void> {
    const isOk = await fetch(`${server}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isOk) this.#usable.delete(server);
    const now = performance.now();
    this.longestPauseMs = Math.max(this.longestPauseMs, now - (this.#checkedAt.get(server) ?? now));
    this.#checkedAt.set(server, now);
  }
}
