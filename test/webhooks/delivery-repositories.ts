import { composeDeliveryRepository } from "../../src/server/composition/compose-delivery-repository.ts";
import { changePartner, enableOrDisablePartner } from "../../src/usecases/partners/administer-partner.ts";
import { createPartner } from "../../src/usecases/partners/create-partner-and-credentials.ts";
import type { AttemptEndpoint, PendingDelivery } from "../../src/webhooks/attempt-webhook-delivery.ts";
import type { DeliveryRepository } from "../../src/webhooks/webhook-delivery-repository.ts";
import type { PartnerFixture } from "../support/partner-store.ts";
import { MemoryDeliveryRepository } from "./memory-delivery-repository.ts";

type Change = { enabled?: boolean; url?: string | null; concurrency?: number };

/** A repository with functions to fill it and to inspect its deliveries. */
export type RepositoryFixture = {
  repository: DeliveryRepository;
  /** Adds a partner with an endpoint at http://hooks.test/. */
  addPartner(): Promise<{ id: string; endpoint: AttemptEndpoint }>;
  change(partnerId: string, change: Change): Promise<void>;
  /** Adds a delivery that is due at `now`. */
  add(partnerId: string, now: number, orderKey?: string | null): Promise<PendingDelivery>;
  delivery(id: string): Promise<{ status: string; nextAttemptAt: number | null; attempts: LoggedAttempt[] }>;
};

type LoggedAttempt = {
  startedAt: number;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  address: string | null;
  responseHead: string;
};

const URL = "http://hooks.test/";

export async function memoryFixture(): Promise<RepositoryFixture> {
  const memory = new MemoryDeliveryRepository();
  let partners = 0;
  return {
    repository: memory.deps({ send: null!, clock: null!, timers: null! }),
    async addPartner() {
      const id = `PARTNER_${++partners}`;
      const endpoint = { url: URL, secret: `whsec_${id}`, nextSecret: null };
      memory.endpoints.set(id, endpoint);
      return { id, endpoint };
    },
    async change(partnerId, { enabled, url, concurrency }) {
      if (enabled !== undefined) memory.disabled[enabled ? "delete" : "add"](partnerId);
      if (url === null) memory.endpoints.set(partnerId, null);
      if (concurrency !== undefined) memory.concurrency.set(partnerId, concurrency);
      memory.revisions.set(partnerId, (memory.revisions.get(partnerId) ?? 0) + 1);
    },
    async add(partnerId, now, orderKey = null) {
      const { status: _, nextAttemptAt: __, ...job } = memory.add(partnerId, orderKey, now);
      return job;
    },
    async delivery(id) {
      const { status, nextAttemptAt } = memory.deliveries.find((one) => one.id === id)!;
      return { status, nextAttemptAt, attempts: memory.attemptsOf(id).map(logged) };
    },
  };
}

/** Creates a fixture on a database without deliveries. */
export async function databaseFixture(partnerFixture: PartnerFixture): Promise<RepositoryFixture> {
  const { store, encryptor, clock, administration } = partnerFixture;
  return {
    repository: composeDeliveryRepository(store, encryptor, clock),
    async addPartner() {
      const fields = { name: "Acme", dailyBudget: 1, webhookUrl: URL };
      const { partner, credentials } = await createPartner(administration, fields);
      return {
        id: partner.id,
        endpoint: { url: URL, secret: credentials.webhookSecret, nextSecret: null },
      };
    },
    async change(partnerId, { enabled, url, concurrency }) {
      if (enabled !== undefined) await enableOrDisablePartner(administration, partnerId, enabled);
      if (url !== undefined) await changePartner(administration, partnerId, { webhookUrl: url });
      if (concurrency !== undefined)
        await changePartner(administration, partnerId, { webhookConcurrency: concurrency });
    },
    add: (partnerId, now, orderKey = null) =>
      store.write(async (tx) => {
        const id = (await tx.forPartner(partnerId)).newDeliveryId();
        const event = "component.critical";
        const job = { id, partnerId, event, body: `{"id":"${id}"}`, orderKey, requestId: null };
        await tx.deliveries.insert({ ...job, createdAt: now });
        return { ...job, attempts: 0 };
      }),
    async delivery(id) {
      const { delivery, attempts } = (await store.read.deliveryLog.find(id))!;
      return { ...delivery, attempts: attempts.map(logged) };
    },
  };
}

const logged = (attempt: LoggedAttempt): LoggedAttempt => {
  const { startedAt, durationMs, statusCode, error, address, responseHead } = attempt;
  return { startedAt, durationMs, statusCode, error, address, responseHead };
};
