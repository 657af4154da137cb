import { and, asc, eq, getTableColumns, gt, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { Administrator, Partner, WebhookEndpoint } from "../../domain/partner.ts";
import type { Instant } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

type NewCredential = {
  partnerId: string;
  kind: "api_key" | "client_secret";
  secretHash: string;
  clientId: string | null;
  createdAt: Instant;
};

/** Secrets are encrypted. */
type DeliveryTarget = Pick<WebhookEndpoint, "secret" | "nextSecret" | "rotatesAt" | "revision"> & {
  url: string;
};

/** A partner with the revision of its data. */
export type RevisedPartner = Partner & { revision: string };

const { placeholder } = sql;

/** Reads and writes partners with their endpoints, limits and revisions. */
export function partnerStore(engine: Engine) {
  const { db } = engine;
  const { credentials, partners, partnerTotals, properties, webhookEndpoints } = engine.tables;
  const oneMore = sql`${partners.revision} + 1`;
  const revision = engine.revisionOf(partners.revision).as("revision");
  const revised = { ...getTableColumns(partners), revision };
  const byId = engine.prepared(() =>
    db
      .select(revised)
      .from(partners)
      .where(eq(partners.id, placeholder("id"))),
  );
  const byApiKey = engine.prepared(() =>
    db
      .select({ partner: revised })
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
  const deliveryTargetOf = engine.read<DeliveryTarget>(() =>
    db
      .select(
        aliasedSqlColumns({
          url: webhookEndpoints.url,
          secret: webhookEndpoints.secret,
          nextSecret: webhookEndpoints.nextSecret,
          rotatesAt: webhookEndpoints.rotatesAt,
          revision: webhookEndpoints.revision,
        }),
      )
      .from(webhookEndpoints)
      .innerJoin(partners, eq(partners.id, webhookEndpoints.partnerId))
      .where(
        and(
          eq(webhookEndpoints.partnerId, placeholder("partnerId")),
          engine.isTrue(partners.enabled),
          isNotNull(webhookEndpoints.url),
        ),
      ),
  );
  const revisionOf = engine.read<{ revision: string }>(() =>
    db
      .select({ revision })
      .from(partners)
      .where(eq(partners.id, placeholder("id"))),
  );
  const addRevision = engine.addToRow(partners, ["id"], ["revision"]);
  const bumpRevision = (id: string) => addRevision({ id, revision: 1 });
  const endpointOf = engine.prepared(() =>
    db
      .select()
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.partnerId, placeholder("partnerId"))),
  );

  return {
    async find(id: string): Promise<RevisedPartner | undefined> {
      return (await byId().execute({ id }))[0];
    },
    /** Returns undefined for an unknown partner. */
    async revision(id: string): Promise<string | undefined> {
      return (await revisionOf({ id }))[0]?.revision;
    },
    /** Returns the revisions of all partners by their IDs. */
    async revisions(): Promise<Map<string, string>> {
      const rows = await db.select({ id: partners.id, revision }).from(partners);
      return new Map(rows.map((row) => [row.id, row.revision]));
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
    async withoutEndpoint(): Promise<{ id: string; name: string }[]> {
      return await db
        .select({ id: partners.id, name: partners.name })
        .from(partners)
        .innerJoin(partnerTotals, eq(partnerTotals.partnerId, partners.id))
        .leftJoin(webhookEndpoints, eq(webhookEndpoints.partnerId, partners.id))
        .where(and(eq(partners.enabled, true), gt(partnerTotals.components, 0), isNull(webhookEndpoints.url)))
        .orderBy(asc(partners.id));
    },
    async insert(partner: Partner): Promise<void> {
      await db.insert(partners).values(partner);
      await db.insert(partnerTotals).values({ partnerId: partner.id });
    },
    async update(
      id: string,
      change: Partial<Pick<Partner, "name" | "enabled" | "dailyBudget" | "credentialGeneration">>,
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
    async findEndpoint(partnerId: string): Promise<WebhookEndpoint | undefined> {
      return (await endpointOf().execute({ partnerId }))[0];
    },
    /** Returns an enabled partner's webhook endpoint; undefined for a disabled partner or without an endpoint. */
    async findDeliveryTarget(partnerId: string): Promise<DeliveryTarget | undefined> {
      return (await deliveryTargetOf({ partnerId }))[0];
    },
    async insertEndpoint(
      endpoint: Pick<WebhookEndpoint, "partnerId" | "url" | "secret" | "events">,
    ): Promise<void> {
      await db.insert(webhookEndpoints).values(endpoint);
    },
    async updateEndpoint(
      partnerId: string,
      change: Partial<Omit<WebhookEndpoint, "partnerId" | "revision">>,
    ): Promise<void> {
      await db.update(webhookEndpoints).set(change).where(eq(webhookEndpoints.partnerId, partnerId));
    },
    /** Does nothing if an operator has changed the endpoint since the revision. */
    async saveEndpointHealth(
      partnerId: string,
      health: Pick<WebhookEndpoint, "failures" | "failingSince" | "pausedAt" | "lastError">,
      revision: number,
    ): Promise<void> {
      const isAsRead = eq(webhookEndpoints.revision, revision);
      await db
        .update(webhookEndpoints)
        .set(health)
        .where(and(eq(webhookEndpoints.partnerId, partnerId), isAsRead));
    },
    /** Records that an operator changed the endpoint. */
    async raiseRevision(partnerId: string): Promise<void> {
      await db
        .update(webhookEndpoints)
        .set({ revision: sql`${webhookEndpoints.revision} + 1` })
        .where(eq(webhookEndpoints.partnerId, partnerId));
    },
    /** Returns the revisions of endpoints as texts, which all differ after another database server has taken over. */
    async endpointRevisions(): Promise<{ partnerId: string; revision: string }[]> {
      const { partnerId } = webhookEndpoints;
      const revision = engine.revisionOf(webhookEndpoints.revision).as("revision");
      return await db.select({ partnerId, revision }).from(webhookEndpoints);
    },
    async listEndpoints(): Promise<WebhookEndpoint[]> {
      return await db.select().from(webhookEndpoints).orderBy(asc(webhookEndpoints.partnerId));
    },
    /** Activates the next secrets that are due; returns their partners. */
    async finishRotations(now: Instant): Promise<string[]> {
      const { partnerId, nextSecret, rotatesAt } = webhookEndpoints;
      const rows = await db
        .update(webhookEndpoints)
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
        .where(and(eq(properties.partnerId, partnerId), eq(properties.isDemo, false), gt(properties.seq, 0)));
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

/** Reads and writes administrators, by ID or by the hash of a key. */
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
