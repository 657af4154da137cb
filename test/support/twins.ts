import { expect } from "bun:test";
import { createAdministrator } from "./administrator.ts";
import type { ApiClient, Asking } from "./client.ts";
import { eventually } from "./eventually.ts";
import { GeneratedNames } from "./generated.ts";
import { fill } from "./hostile-requests.ts";
import { STAND_INS } from "./hostile-values.ts";
import type { Installation, Partner } from "./mainstay.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import type { Reply } from "./reply.ts";
import { addThings } from "./things.ts";

/** A request to both servers. A text within ‹ and › stands for what each of them has in its place. */
export type TwinRequest = {
  method: "GET" | "POST" | "PUT";
  /** With its query string. */
  target: string;
  headers?: Readonly<Record<string, string>>;
  /** As it is sent; in latin1, a character is a byte. */
  body?: string | undefined;
  encoding?: "utf8" | "latin1";
  /** Which of the things known so far the stand-ins are. */
  pick?: number;
};

/** Not what was answered, but how it came. */
const OF_THE_WAY = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"];

/** Headers whose values are a server's own. */
const OPAQUE: ReadonlySet<string> = new Set(["etag", "x-request-id"]);

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
    // But for the delivery, which is whichever has arrived by then.
    const { WH_: _, ...things } = await addThings(twin.client);
    twin.named(JSON.stringify([partner, things]));
    return twin;
  }

  /** Runs a command beside the server: its result, without what of it is how long it took. */
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

  /** What came of all that was queued for its receiver, the oldest first, once nothing waits any more. */
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
    const told = [...headers].filter(([name]) => !OF_THE_WAY.includes(name)).toSorted();
    const named = told.map(([name, value]) => [name, OPAQUE.has(name) ? "given" : this.named(value)]);
    // In lines, so that a failure shows which one it is.
    const lines = this.named(text).replaceAll(/,(?=")|(?<=\[){/g, "$&\n");
    return { status, headers: Object.fromEntries(named), text: lines };
  }

  #standIns(pick: number): Record<string, string> {
    const known = ["P_", "U_", "A_", "C_", "SE_", "CLM_", "WH_", "EMB_", "photo", "svc_embed"].map((name) => {
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

/** Two servers that are asked the same as one partner and its operator. */
export class Twins {
  private constructor(private readonly both: readonly [Twin, Twin]) {}

  /** A new partner on both, who has one of each kind of thing. */
  static async of(servers: readonly TwinServer[], name: string): Promise<Twins> {
    const made = await Promise.all(servers.map((server) => Twin.of(server, name)));
    return new Twins(made as [Twin, Twin]);
  }

  /** Asks both, and fails where a partner could tell their answers apart. The first one's answer. */
  async ask(request: TwinRequest): Promise<Reply> {
    // What is sent in its own time is told of once it has arrived.
    if (/^\/admin\/|webhook-deliveries/.test(request.target)) await this.settled();
    const [one, other] = await Promise.all(this.both.map((twin) => twin.ask(request)));
    expect(other!.shown, `${request.method} ${request.target}`).toEqual(one!.shown);
    return one!.reply;
  }

  /** The same, of a request with a body of JSON, whose texts may have stand-ins. */
  async send(method: "POST" | "PUT", target: string, body: unknown, pick = 0, more = {}): Promise<Reply> {
    const headers = { "content-type": "application/json", ...more };
    return await this.ask({ method, target, headers, body: JSON.stringify(body), pick });
  }

  /** Runs a command beside both, and fails where they come to something else. `args` is given each one's partner. */
  async command(args: (partnerId: string) => readonly string[]): Promise<void> {
    const [one, other] = await Promise.all(
      this.both.map((twin) => twin.command(...args(twin.partner.partner_id))),
    );
    expect(other!).toEqual(one!);
  }

  /** Fails where the receivers were told different things. */
  async compareDeliveries(): Promise<void> {
    const [one, other] = await Promise.all(this.both.map((twin) => twin.deliveries()));
    expect(other!).toEqual(one!);
  }

  /** How many things of a kind were seen, such as `P`. */
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
  /** Things of another partner, by their stand-ins. */
  others: Readonly<Record<string, string>>;
};

/** A server that was started, with an administrator, a receiver, and another partner's things. */
export async function twinServer(server: Installation): Promise<TwinServer> {
  const [{ client: administrator }, receiver] = await Promise.all([
    createAdministrator(server),
    startReceiver(),
  ]);
  const things = await addThings(server.as(await newPartner(administrator, "Other", null)));
  const others = Object.fromEntries(Object.entries(things).map(([kind, value]) => [`other ${kind}`, value]));
  return { server, administrator, receiver, others };
}

const newPartner = async (
  administrator: ApiClient,
  name: string,
  webhook_url: string | null,
): Promise<Partner> => (await administrator.post("/admin/partners", { name, webhook_url })).body;
