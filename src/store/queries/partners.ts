import { and, asc, eq, gt, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { Administrator, Partner, WebhookReceiver } from "../../domain/partner.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../engine.ts";
import { aliased } from "./aliased-columns.ts";

type NewCredential = {
  partnerId: string;
  kind: "api_key" | "client_secret";
  secretHash: string;
  clientId: string | null;
  createdAt: Instant;
};

/** Secrets are encrypted. */
type ReceiverEndpoint = Pick<WebhookReceiver, "secret" | "nextSecret" | "rotatesAt" | "revision"> & {
  url: string;
};

/** A partner with the revision of its data. */
export type RevisedPartner = Partner & { revision: number };

const { placeholder } = sql;

export function partnerStore(engine: Engine) {
  const { db } = engine;
  const { credentials, partners, partnerTotals, properties, webhookReceivers } = engine.tables;
  const oneMore = sql`${partners.revision} + 1`;
  const byId = engine.prepared(() =>
    db
      .select()
      .from(partners)
      .where(eq(partners.id, placeholder("id"))),
  );
  const byApiKey = engine.prepared(() =>
    db
      .select({ partner: partners })
      .from(credentials)
      .innerJoin(partners, eq(partners.id, credentials.partnerId))
      .where(
        and(
          eq(credentials.secretHash, placeholder("hash")),
          eq(credentials.kind, "api_key"),
          isNull(credentials.revokedAt),
        ),
      ),
  );
  const byClientId = engine.prepared(() =>
    db
      .select({ partner: partners, secretHash: credentials.secretHash })
      .from(credentials)
      .innerJoin(partners, eq(partners.id, credentials.partnerId))
      .where(and(eq(credentials.clientId, placeholder("clientId")), isNull(credentials.revokedAt))),
  );
  const endpointOf = engine.read<ReceiverEndpoint>(() =>
    db
      .select(
        aliased({
          url: webhookReceivers.url,
          secret: webhookReceivers.secret,
          nextSecret: webhookReceivers.nextSecret,
          rotatesAt: webhookReceivers.rotatesAt,
          revision: webhookReceivers.revision,
        }),
      )
      .from(webhookReceivers)
      .innerJoin(partners, eq(partners.id, webhookReceivers.partnerId))
      .where(
        and(
          eq(webhookReceivers.partnerId, placeholder("partnerId")),
          engine.isTrue(partners.enabled),
          isNotNull(webhookReceivers.url),
        ),
      ),
  );
  const revisionOf = engine.read<{ revision: number }>(() =>
    db
      .select(aliased({ revision: partners.revision }))
      .from(partners)
      .where(eq(partners.id, placeholder("id"))),
  );
  const addRevision = engine.addToRow(partners, ["id"], ["revision"]);
  const bumpRevision = (id: string) => addRevision({ id, revision: 1 });
  const receiverOf = engine.prepared(() =>
    db
      .select()
      .from(webhookReceivers)
      .where(eq(webhookReceivers.partnerId, placeholder("partnerId"))),
  );

  return {
    async find(id: string): Promise<RevisedPartner | undefined> {
      return (await byId().execute({ id }))[0];
    },
    /** Returns undefined for an unknown partner. */
    async revision(id: string): Promise<number | undefined> {
      return (await revisionOf({ id }))[0]?.revision;
    },
    /** Raises the partner's revision, since its data has changed. */
    async bumpRevision(id: string): Promise<void> {
      return bumpRevision(id);
    },
    /** Raises the revisions of all partners, since data that all of them see has changed. */
    async bumpAllRevisions(): Promise<void> {
      await db.update(partners).set({ revision: oneMore });
    },
    /** Returns the partner whose active API key has the hash, enabled or not. */
    async findByApiKey(hash: string): Promise<RevisedPartner | undefined> {
      return (await byApiKey().execute({ hash }))[0]?.partner;
    },
    /** Returns the partner of a client id, with the hash of its secret. */
    async findByClientId(clientId: string): Promise<{ partner: Partner; secretHash: string } | undefined> {
      return (await byClientId().execute({ clientId }))[0];
    },
    async list(): Promise<Partner[]> {
      return await db.select().from(partners).orderBy(asc(partners.id));
    },
    /** Returns enabled partners that have components but no webhook endpoint. */
    async withoutReceiver(): Promise<{ id: string; name: string }[]> {
      return await db
        .select({ id: partners.id, name: partners.name })
        .from(partners)
        .innerJoin(partnerTotals, eq(partnerTotals.partnerId, partners.id))
        .leftJoin(webhookReceivers, eq(webhookReceivers.partnerId, partners.id))
        .where(and(eq(partners.enabled, true), gt(partnerTotals.components, 0), isNull(webhookReceivers.url)))
        .orderBy(asc(partners.id));
    },
    async insert(partner: Partner): Promise<void> {
      await db.insert(partners).values(partner);
      await db.insert(partnerTotals).values({ partnerId: partner.id });
    },
    async update(
      id: string,
      change: Partial<Pick<Partner, "enabled" | "dailyBudget" | "credentialGeneration">>,
    ): Promise<void> {
      await db
        .update(partners)
        .set({ ...change, revision: oneMore })
        .where(eq(partners.id, id));
    },
    async insertCredential(credential: NewCredential): Promise<void> {
      await db.insert(credentials).values({ ...credential, revokedAt: null });
      return bumpRevision(credential.partnerId);
    },
    /** Revokes a partner's active credentials of one kind. */
    async revokeCredentials(partnerId: string, kind: NewCredential["kind"], now: Instant): Promise<void> {
      await db
        .update(credentials)
        .set({ revokedAt: now })
        .where(
          and(
            eq(credentials.partnerId, partnerId),
            eq(credentials.kind, kind),
            isNull(credentials.revokedAt),
          ),
        );
      return bumpRevision(partnerId);
    },
    /** Replaces the secret of the active client id, and returns that id; undefined if there is none. */
    async replaceClientSecret(
      partnerId: string,
      secretHash: string,
      now: Instant,
    ): Promise<string | undefined> {
      const [replaced] = await db
        .update(credentials)
        .set({ secretHash, createdAt: now })
        .where(
          and(
            eq(credentials.partnerId, partnerId),
            eq(credentials.kind, "client_secret"),
            isNull(credentials.revokedAt),
          ),
        )
        .returning({ clientId: credentials.clientId });
      await bumpRevision(partnerId);
      return replaced?.clientId ?? undefined;
    },
    async findReceiver(partnerId: string): Promise<WebhookReceiver | undefined> {
      return (await receiverOf().execute({ partnerId }))[0];
    },
    /** Returns an enabled partner's webhook endpoint; undefined for a disabled partner or without an endpoint. */
    async findEndpoint(partnerId: string): Promise<ReceiverEndpoint | undefined> {
      return (await endpointOf({ partnerId }))[0];
    },
    async insertReceiver(
      receiver: Pick<WebhookReceiver, "partnerId" | "url" | "secret" | "events">,
    ): Promise<void> {
      await db.insert(webhookReceivers).values(receiver);
    },
    async updateReceiver(
      partnerId: string,
      change: Partial<Omit<WebhookReceiver, "partnerId" | "revision">>,
    ): Promise<void> {
      await db.update(webhookReceivers).set(change).where(eq(webhookReceivers.partnerId, partnerId));
    },
    /** Does nothing if an operator has changed the endpoint since the revision. */
    async saveReceiverHealth(
      partnerId: string,
      health: Pick<WebhookReceiver, "failures" | "failingSince" | "pausedAt" | "lastError">,
      revision: number,
    ): Promise<void> {
      const isAsRead = eq(webhookReceivers.revision, revision);
      await db
        .update(webhookReceivers)
        .set(health)
        .where(and(eq(webhookReceivers.partnerId, partnerId), isAsRead));
    },
    /** Records that an operator changed the endpoint. */
    async raiseRevision(partnerId: string): Promise<void> {
      await db
        .update(webhookReceivers)
        .set({ revision: sql`${webhookReceivers.revision} + 1` })
        .where(eq(webhookReceivers.partnerId, partnerId));
    },
    async receiverRevisions(): Promise<{ partnerId: string; revision: number }[]> {
      const { partnerId, revision } = webhookReceivers;
      return await db.select({ partnerId, revision }).from(webhookReceivers);
    },
    async listReceivers(): Promise<WebhookReceiver[]> {
      return await db.select().from(webhookReceivers).orderBy(asc(webhookReceivers.partnerId));
    },
    /** Activates the next secrets that are due; returns their partners. */
    async finishRotations(now: Instant): Promise<string[]> {
      const { partnerId, nextSecret, rotatesAt } = webhookReceivers;
      const rows = await db
        .update(webhookReceivers)
        .set({ secret: sql`${nextSecret}`, nextSecret: null, rotatesAt: null })
        .where(and(lte(rotatesAt, now), isNotNull(nextSecret)))
        .returning({ partnerId });
      return rows.map((row) => row.partnerId);
    },
    /** Counts the units of properties, except demo properties. */
    async billableUnits(partnerId: string): Promise<number> {
      const rows = await db
        .select({ units: sql<number>`coalesce(sum(${properties.unitCount}), 0)` })
        .from(properties)
        .where(and(eq(properties.partnerId, partnerId), eq(properties.isDemo, false)));
      return rows[0]!.units;
    },
    async clientId(partnerId: string): Promise<string | undefined> {
      const rows = await db
        .select({ clientId: credentials.clientId })
        .from(credentials)
        .where(
          and(
            eq(credentials.partnerId, partnerId),
            eq(credentials.kind, "client_secret"),
            isNull(credentials.revokedAt),
          ),
        );
      return rows[0]?.clientId ?? undefined;
    },
  };
}

export function administratorStore(engine: Engine) {
  const { db } = engine;
  const { administrators } = engine.tables;
  const byKey = engine.prepared(() =>
    db
      .select()
      .from(administrators)
      .where(and(eq(administrators.keyHash, placeholder("hash")), isNull(administrators.revokedAt))),
  );
  return {
    async findByKey(hash: string): Promise<Administrator | undefined> {
      return (await byKey().execute({ hash }))[0];
    },
    async list(): Promise<Administrator[]> {
      return await db.select().from(administrators).orderBy(asc(administrators.id));
    },
    async insert(administrator: Administrator): Promise<void> {
      await db.insert(administrators).values(administrator);
    },
    /** Returns false if there is no active administrator with the id. */
    async revoke(id: string, now: Instant): Promise<boolean> {
      const rows = await db
        .update(administrators)
        .set({ revokedAt: now })
        .where(and(eq(administrators.id, id), isNull(administrators.revokedAt)))
        .returning({ id: administrators.id });
      return rows.length > 0;
    },
  };
}
