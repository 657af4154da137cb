import { asc, count, desc, eq, sql } from "drizzle-orm";
import type { Claim } from "../../domain/claim.ts";
import type { Engine } from "../engine.ts";
import type { Slice } from "../slice.ts";

const ph = sql.placeholder;

export type ClaimEvidenceRow = Pick<Claim, "id" | "propertyId" | "claimType" | "dateOfLoss" | "status">;

export function claimStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { claims } = engine.tables;
  const evidence = engine.prepared(() =>
    db
      .select({
        id: claims.id,
        propertyId: claims.propertyId,
        claimType: claims.claimType,
        dateOfLoss: claims.dateOfLoss,
        status: claims.status,
      })
      .from(claims)
      .where(isAmong(claims.propertyId, "propertyIds"))
      .orderBy(asc(claims.id)),
  );
  const page = engine.prepared(() =>
    db
      .select()
      .from(claims)
      .where(eq(claims.propertyId, ph("propertyId")))
      .orderBy(desc(claims.dateOfLoss), desc(claims.id))
      .limit(ph("limit"))
      .offset(ph("offset")),
  );
  const counted = engine.prepared(() =>
    db
      .select({ n: count() })
      .from(claims)
      .where(eq(claims.propertyId, ph("propertyId"))),
  );
  return {
    async insert(claim: Claim): Promise<void> {
      await db.insert(claims).values(claim);
    },
    async evidence(propertyIds: readonly string[]): Promise<ClaimEvidenceRow[]> {
      return await evidence().execute({ propertyIds: engine.list(propertyIds) });
    },
    /** The newest date of loss first. */
    async page(propertyId: string, slice: Slice): Promise<Claim[]> {
      return await page().execute({ propertyId, ...slice });
    },
    async count(propertyId: string): Promise<number> {
      return (await counted().execute({ propertyId }))[0]!.n;
    },
  };
}
