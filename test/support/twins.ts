import { expect } from "bun:test";
import { createAdministrator } from "./administrator.ts";
import type { ApiClient, Asking } from "./client.ts";
import { eventually } from "./eventually.ts";
import { GeneratedNames } from "./generated.ts";
import { fill } from "./hostile-requests.ts";
import { STAND_INS } from "./hostile-values.ts";
import type { Installation, Partner } from "./mainstay.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { addRecords } from "./records.ts";
import type { Reply } from "./reply.ts";

/** A request to both servers. A text within ‹ and › is a placeholder for each server's own value. */
export type TwinRequest = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Includes the query string. */
  target: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent unchanged; in latin1, a character is a byte. */
  body?: string | undefined;
  encoding?: "utf8" | "latin1";
  /** The known values that the placeholders refer to. */
  pick?: number;
};

/** Headers that depend on the transfer and not on the answer. */
const OF_THE_WAY = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"];

/** Headers with a server's own values, or with the seconds until a moment, which pass between two responses. */
const OPAQUE: ReadonlySet<string> = new Set(["etag", "x-request-id", "retry-after"]);

/** One of the two servers, as one partner and its operator see it. */
class Twin {
  readonly #names = new GeneratedNames();
  #etag = "";

  private constructor(
    private readonly at: TwinServer,
    readonly partner: Partner,
    private readonly client: ApiClient,
  ) {}

  static async of(at: TwinServer, name: string): Promise<Twin> {
    const partner = await newPartner(at.administrator, name, at.receiver.url);
    const twin = new Twin(at, partner, at.server.as(partner));
    // Apart from the delivery, which is the latest one.
    const { WH_: _, ...things } = await addRecords(twin.client);
    twin.named(JSON.stringify([partner, things]));
    return twin;
  }

  /** Runs a command beside the server; returns its result without the duration. */
  async command(...args: string[]): Promise<string> {
    const { seconds: _, ...result } = await this.at.server.json(...args);
    return this.named(JSON.stringify(result).replaceAll(this.at.server.folder, ""));
  }

  async ask({ method, target, headers = {}, body, encoding = "utf8", pick = 0 }: TwinRequest) {
    const filled = (text: string) => fill(text, this.#standIns(pick));
    const asking: Asking = {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
      ...(body !== undefined && { raw: Buffer.from(filled(body), encoding) }),
    };
    const client = target.startsWith("/admin/") ? this.at.administrator : this.client;
    const reply = await client.send(method, filled(target), asking);
    this.#etag = reply.headers.get("etag") ?? this.#etag;
    return { reply, shown: this.#shown(reply) };
  }

  /** Returns the outcome of all deliveries, the oldest first, once none is pending. */
  async deliveries(): Promise<string[]> {
    await this.settled();
    const query = { partner_id: this.partner.partner_id, limit: 200 };
    const { deliveries } = (await this.at.administrator.get("/admin/webhook-deliveries", query)).body;
    const bodies = new Map(this.at.receiver.received.map(({ id, event, body }) => [id, `${event} ${body}`]));
    return deliveries.toReversed().map(({ id }: { id: string }) => this.named(`${id} ${bodies.get(id)}`));
  }

  async settled(): Promise<void> {
    const query = { partner_id: this.partner.partner_id, status: "pending", limit: 1 };
    await eventually(async () =>
      expect((await this.at.administrator.get("/admin/webhook-deliveries", query)).body.total).toBe(0),
    );
  }

  named(text: string): string {
    return this.#names.in(text);
  }

  seen(kind: string): number {
    return this.#names.seen(kind).length;
  }

  #shown({ status, headers, text }: Reply) {
    const reported = [...headers].filter(([name]) => !OF_THE_WAY.includes(name)).toSorted();
    const named = reported.map(([name, value]) => [name, OPAQUE.has(name) ? "given" : this.named(value)]);
    // By line, so that a failure shows which line differs.
    const lines = this.named(text).replaceAll(/,(?=")|(?<=\[){/g, "$&\n");
    return { status, headers: Object.fromEntries(named), text: lines };
  }

  #standIns(pick: number): Record<string, string> {
    const known = [
      "P_",
      "U_",
      "A_",
      "C_",
      "SE_",
      "CLM_",
      "WH_",
      "EMB_",
      "CST_",
      "PH_",
      "photo",
      "svc_embed",
    ].map((name) => {
      const values = this.#names.seen(name.replace(/_$/, ""));
      return [name, values[pick % values.length]];
    });
    return {
      ...STAND_INS,
      ...Object.fromEntries(known.filter(([, value]) => value !== undefined)),
      ...this.at.others,
      PARTNER_: this.partner.partner_id,
      svc_client: this.partner.client_id,
      svc_secret: this.partner.client_secret,
      etag: this.#etag,
    };
  }
}

/** Two servers that get the same requests of one partner and its operator. */
export class Twins {
  private constructor(private readonly both: readonly [Twin, Twin]) {}

  /** Creates a partner on both, with one record of each kind. */
  static async of(servers: readonly TwinServer[], name: string): Promise<Twins> {
    const made = await Promise.all(servers.map((server) => Twin.of(server, name)));
    return new Twins(made as [Twin, Twin]);
  }

  /**
   * Sends a request to both servers, and throws where a partner could distinguish their responses. Returns the
   * first one's response.
   */
  async ask(request: TwinRequest): Promise<Reply> {
    // Deliveries are asynchronous: they are compared once they have settled.
    if (/^\/admin\/|webhook-deliveries/.test(request.target)) await this.settled();
    const askedAt = performance.now();
    const [one, other] = await Promise.all(this.both.map((twin) => twin.ask(request)));
    expect(other!.shown, `${request.method} ${request.target}`).toEqual(one!.shown);
    const [waitS, otherWaitS] = [one, other].map((of) => Number(of!.reply.headers.get("retry-after")));
    const passedS = Math.ceil((performance.now() - askedAt) / 1000);
    expect(Math.abs(waitS! - otherWaitS!)).toBeLessThanOrEqual(passedS);
    return one!.reply;
  }

  /** Sends a request with a JSON body, whose texts may have placeholders. */
  async send(method: "POST" | "PUT", target: string, body: unknown, pick = 0, more = {}): Promise<Reply> {
    const headers = { "content-type": "application/json", ...more };
    return await this.ask({ method, target, headers, body: JSON.stringify(body), pick });
  }

  /** Runs a command beside both, and throws where the results differ. `args` gets each one's partner. */
  async command(args: (partnerId: string) => readonly string[]): Promise<void> {
    const [one, other] = await Promise.all(
      this.both.map((twin) => twin.command(...args(twin.partner.partner_id))),
    );
    expect(other!).toEqual(one!);
  }

  /** Throws where the receivers have received different deliveries. */
  async compareDeliveries(): Promise<void> {
    const [one, other] = await Promise.all(this.both.map((twin) => twin.deliveries()));
    expect(other!).toEqual(one!);
  }

  /** Returns the number of values of a kind, such as `P`. */
  seen(kind: string): number {
    return this.both[0].seen(kind);
  }

  private async settled(): Promise<void> {
    await Promise.all(this.both.map((twin) => twin.settled()));
  }
}

export type TwinServer = {
  server: Installation;
  administrator: ApiClient;
  receiver: Receiver;
  /** Records of another partner, by their placeholders. */
  others: Readonly<Record<string, string>>;
};

/** A running server, with an administrator, a receiver, and another partner's records. */
export async function twinServer(server: Installation): Promise<TwinServer> {
  const [{ client: administrator }, receiver] = await Promise.all([
    createAdministrator(server),
    startReceiver(),
  ]);
  const things = await addRecords(server.as(await newPartner(administrator, "Other", null)));
  const others = Object.fromEntries(Object.entries(things).map(([kind, value]) => [`other ${kind}`, value]));
  return { server, administrator, receiver, others };
}

const newPartner = async (
  administrator: ApiClient,
  name: string,
  webhook_url: string | null,
): Promise<Partner> => (await administrator.post("/admin/partners", { name, webhook_url })).body;
