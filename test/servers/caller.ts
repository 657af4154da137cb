import { availableParallelism, loadavg } from "node:os";
import type { Json } from "../support/json.ts";
import type { Fleet } from "./fleet.ts";
import type { Lag } from "./lag.ts";
import type { Random } from "./random.ts";
import type { Record } from "./record.ts";
import type { Server } from "./server.ts";

export type Request = {
  method: "GET" | "POST" | "PUT";
  path: string;
  body?: unknown;
  key?: string;
  credential: Readonly<globalThis.Record<string, string>>;
  /** Asked of the administrators' listener. */
  admin?: boolean;
};
/** Undefined when there was none: the connection was cut, or it took too long. */
export type Answer = { status: number; headers: Headers; body: Json; server: Server } | undefined;

/** What a server may take for an answer that nothing keeps it from giving, with the machine to itself. */
const HANGS_AFTER_MS = 15_000;
/** What it has to say that it cannot reach its database, asked when that is away. */
const AWAY_WITHIN_MS = 2_000;
/** And that it has waited in vain for rows that others hold and go on with, or for a commit. */
const HELD_WITHIN_MS = 8_000;
/** Further time for the clients, which share the machine: so much, and twice their own lag. */
const CLIENTS_MS = 1_000;
/** How long a caller waits for a server that does not answer at all, as a proxy before the servers would. */
const PAUSED_ABORT_MS = 2_000;

/** Calls the servers as the partners' programs do: any of them, again when there was no answer. */
export class Caller {
  constructor(
    private readonly fleet: Fleet,
    private readonly record: Record,
    private readonly random: Random,
    private readonly lag: Lag,
    /** Whether the servers cannot reach their database just now. */
    private readonly isAway: () => boolean,
    /** Nobody tries again after this. */
    private readonly giveUp: AbortSignal,
  ) {}

  /** A server to ask: one that is up, as a proxy would choose, but now and then one that nobody knows to be gone. */
  anyServer(random = this.random): Server {
    const { servers } = this.fleet;
    const up = servers.filter((server) => server.isUp);
    return random.pick(up.length > 0 && !random.chance(0.05) ? up : servers);
  }

  /** Asks one server once. */
  async once(request: Request, server = this.anyServer()): Promise<Answer> {
    const { method, path, body, key, credential, admin } = request;
    const base = admin ? server.adminUrl : server.url;
    if (base === undefined) return undefined;
    const before = server.disturbances;
    const promisedMs = this.isAway() ? AWAY_WITHIN_MS : HELD_WITHIN_MS;
    const startedAt = performance.now();
    const tookMs = () => performance.now() - startedAt;
    const undisturbed = () => server.isUp && server.disturbances === before;
    const stop = new AbortController();
    const watch = setInterval(() => {
      if (tookMs() > (undisturbed() ? HANGS_AFTER_MS * crowding() : PAUSED_ABORT_MS)) stop.abort();
    }, 250);
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        headers: {
          ...credential,
          ...(key !== undefined && { "idempotency-key": key }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([stop.signal, this.giveUp]),
      });
      const text = await response.text();
      this.record.count(String(response.status), tookMs(), undisturbed());
      this.#judge(request, response, text, { tookMs: undisturbed() ? tookMs() : 0, promisedMs });
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      return {
        status: response.status,
        headers: response.headers,
        body: isJson ? JSON.parse(text) : {},
        server,
      };
    } catch {
      this.record.count("none", tookMs(), undisturbed());
      if (undisturbed() && stop.signal.aborted && tookMs() > HANGS_AFTER_MS)
        this.record.wrong(
          `${method} ${path} hung: ${server.name} gave no answer within ${Math.round(tookMs())} ms`,
        );
      return undefined;
    } finally {
      clearInterval(watch);
    }
  }

  /** Asks until there is an answer that settles it: neither none, nor "later". Throws when time is up. */
  async settled(request: Request): Promise<NonNullable<Answer>> {
    for (let pauseMs = 10; !this.giveUp.aborted; pauseMs = Math.min(pauseMs * 2, 500)) {
      const answer = await this.once(request);
      if (answer && !isLater(answer)) return answer;
      await Bun.sleep(pauseMs * (0.5 + this.random.next()));
    }
    throw new Error(`${request.method} ${request.path} was not answered by any server until the end`);
  }

  /** As `settled`, for what must come out as it is said. */
  async done(request: Request, status: number): Promise<NonNullable<Answer>> {
    const answer = await this.settled(request);
    if (answer.status === status) return answer;
    throw new Error(
      `${request.method} ${request.path} was answered ${answer.status}, not ${status}, by ${answer.server.name}: ` +
        JSON.stringify(answer.body).slice(0, 500),
    );
  }

  #judge(
    { method, path }: Request,
    { status, headers }: Response,
    text: string,
    { tookMs, promisedMs }: { tookMs: number; promisedMs: number },
  ): void {
    if (status === 500 || (status > 500 && status !== 503))
      this.record.wrong(`${method} ${path} was answered ${status}: ${text.slice(0, 200)}`);
    if (status !== 503) return;
    if (!/^\d+$/.test(headers.get("retry-after") ?? "") && !path.endsWith("/health"))
      this.record.wrong(`${method} ${path} was answered 503 without Retry-After`);
    const allowedMs = promisedMs * crowding() + CLIENTS_MS + 2 * this.lag.worstMs();
    if (tookMs > allowedMs)
      this.record.wrong(
        `${method} ${path} was answered 503 after ${Math.round(tookMs)} ms, not within ${Math.round(allowedMs)}`,
      );
  }
}

/** How many processes want each core: a server gets its turn so much later than on a machine of its own. */
const crowding = () => Math.max(1, loadavg()[0]! / availableParallelism());

const isLater = ({ status, body }: NonNullable<Answer>) =>
  status === 503 || (status === 409 && /still running/.test(body.error ?? ""));
