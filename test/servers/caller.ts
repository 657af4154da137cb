import { availableParallelism, loadavg } from "node:os";
import type { Json } from "../support/json.ts";
import type { Fleet } from "./fleet.ts";
import type { Observations } from "./observations.ts";
import type { SchedulingDelay } from "./scheduling-delay.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { Server } from "./server.ts";

export type Request = {
  method: "GET" | "POST" | "PUT";
  path: string;
  body?: unknown;
  key?: string;
  credential: Readonly<globalThis.Record<string, string>>;
  /** Sent to the administrators' listener. */
  admin?: boolean;
};
/** Undefined without an answer: the connection was closed, or the timeout passed. */
export type Answer = { status: number; headers: Headers; body: Json; server: Server } | undefined;

/** The time within which a server must answer where nothing prevents it and it has the machine to itself. */
const HANGS_AFTER_MS = 15_000;
/** The time within which it must report that the database is unreachable, for a request while that is away. */
const AWAY_WITHIN_MS = 2_000;
/** The time within which it must report that a row stayed locked, or a commit unanswered. */
const HELD_WITHIN_MS = 8_000;
/** Additional time for the clients, which share the machine: this much, and twice their own scheduling delay. */
const CLIENTS_MS = 1_000;
/** The timeout of a call to a server that does not answer at all, as of a proxy before the servers. */
const PAUSED_ABORT_MS = 2_000;

/** Calls the servers as partners' programs do: any of them, again where there was no answer. */
export class Caller {
  constructor(
    private readonly fleet: Fleet,
    private readonly record: Observations,
    private readonly random: SeededRandom,
    private readonly lag: SchedulingDelay,
    /** True while the servers cannot reach their database. */
    private readonly isAway: () => boolean,
    /** The time after which no call is repeated. */
    private readonly giveUp: AbortSignal,
  ) {}

  /** Returns a running server, as a proxy would choose one, but now and then one that has stopped unnoticed. */
  anyServer(random = this.random): Server {
    const { servers } = this.fleet;
    const up = servers.filter((server) => server.isUp);
    return random.pick(up.length > 0 && !random.chance(0.05) ? up : servers);
  }

  /** Calls one server once. */
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

  /** Repeats a call until its answer is final: neither missing nor "later". Throws when the time is up. */
  async settled(request: Request): Promise<NonNullable<Answer>> {
    for (let pauseMs = 10; !this.giveUp.aborted; pauseMs = Math.min(pauseMs * 2, 500)) {
      const answer = await this.once(request);
      if (answer && !isLater(answer)) return answer;
      await Bun.sleep(pauseMs * (0.5 + this.random.next()));
    }
    throw new Error(`${request.method} ${request.path} was not answered by any server until the end`);
  }

  /** Calls `settled` for a call that must have the expected status. */
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

/** Returns the number of processes per core that want to run: the factor by which a server runs slower. */
const crowding = () => Math.max(1, loadavg()[0]! / availableParallelism());

const isLater = ({ status, body }: NonNullable<Answer>) =>
  status === 503 || (status === 409 && /still running/.test(body.error ?? ""));
