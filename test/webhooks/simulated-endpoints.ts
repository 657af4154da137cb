import type { SendRequest, SendResult } from "../../src/webhooks/attempt-webhook-delivery.ts";
import type { HttpSender } from "../../src/webhooks/webhook-http-sender.ts";
import type { ManualTime } from "./manual-time.ts";

/** The response of an endpoint and its delay; no response without a status. */
export type SimulatedResponse = { status: number; afterMs?: number } | "hang";
export type Sent = { id: string; partnerId: string; at: number; body: string; concurrent: number };

/** Endpoints at http://<partner>.test/ in simulated time. */
export class SimulatedEndpoints implements Pick<HttpSender, "send"> {
  readonly sent: Sent[] = [];
  readonly underWay = new Map<string, number>();
  answer: (partnerId: string, id: string, nth: number) => SimulatedResponse = () => ({ status: 200 });

  constructor(private readonly time: ManualTime) {}

  async send({ url, headers, body, timeoutMs }: SendRequest): Promise<SendResult> {
    const partnerId = new URL(url).hostname.replace(".test", "");
    const id = headers["webhook-id"]!;
    const concurrent = (this.underWay.get(partnerId) ?? 0) + 1;
    this.underWay.set(partnerId, concurrent);
    this.sent.push({ id, partnerId, at: this.time.now, body: Buffer.from(body).toString(), concurrent });
    const nth = this.sent.filter((one) => one.id === id).length;
    const answer = this.answer(partnerId, id, nth);
    const afterMs = answer === "hang" ? Number.POSITIVE_INFINITY : (answer.afterMs ?? 0);
    const durationMs = Math.min(afterMs, timeoutMs);
    if (durationMs > 0) await new Promise<void>((resolve) => this.time.timersPort.set(resolve, durationMs));
    this.underWay.set(partnerId, this.underWay.get(partnerId)! - 1);
    const statusCode = answer === "hang" || afterMs > timeoutMs ? null : answer.status;
    const ok = statusCode !== null && statusCode >= 200 && statusCode < 300;
    const error = statusCode === null ? `no response within ${timeoutMs / 1000} s` : `HTTP ${statusCode}`;
    return { ok, statusCode, error: ok ? null : error, responseHead: "", durationMs, address: "127.0.0.1" };
  }
}
