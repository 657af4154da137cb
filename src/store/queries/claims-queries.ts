import { and, asc, count, desc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Claim } from "../../domain/claim.ts";
import type { Engine } from "../store-engine.ts";
import type { StoredRowRange } from "../stored-row-range.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** A claim as far as it changes scores. */
export type ClaimEvidenceRow = Pick<Claim, "id" | "propertyId" | "claimType" | "dateOfLoss" | "status">;

/** A claim as far as it adds to sums, or moves with its property. */
export type CountedClaim = Pick<
  Claim,
  | "id"
  | "claimType"
  | "dateOfLoss"
  | "status"
  | "amountCents"
  | "paidCents"
  | "outstandingCents"
  | "claimNumber"
  | "voidedAt"
>;
type ClaimPlace = Pick<Claim, "dateOfLoss" | "id">;

/** Reads and writes claims. Amounts in cents. Only `find` and `countedAfter` read voided ones. */
export function claimStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { claims } = engine.tables;
  const isValid = isNull(claims.voidedAt);
  const evidenceRows = () =>
    db
      .select(
        aliasedSqlColumns({
          id: claims.id,
          propertyId: claims.propertyId,
          claimType: claims.claimType,
          dateOfLoss: claims.dateOfLoss,
          status: claims.status,
        }),
      )
      .from(claims);
  const evidence = engine.read<ClaimEvidenceRow>(() =>
    evidenceRows()
      .where(and(isAmong(claims.propertyId, "propertyIds"), isValid))
      // Without the order PostgreSQL expects the limit to be reached early, and scans all claims.
      .orderBy(...(engine.dialect === "postgres" ? [asc(claims.id)] : []))
      .limit(placeholder("limit")),
  );
  const isAfter = () =>
    and(
      eq(claims.propertyId, placeholder("propertyId")),
      sql`(${claims.dateOfLoss}, ${claims.id}) > (${placeholder("dateOfLoss")}, ${placeholder("id")})`,
    );
  const evidenceAfter = engine.read<ClaimEvidenceRow>(() =>
    evidenceRows()
      .where(and(isAfter(), isValid))
      .orderBy(asc(claims.dateOfLoss), asc(claims.id))
      .limit(placeholder("limit")),
  );
  const countedAfter = engine.read<CountedClaim>(() =>
    db
      .select(
        aliasedSqlColumns({
          id: claims.id,
          claimType: claims.claimType,
          dateOfLoss: claims.dateOfLoss,
          status: claims.status,
          amountCents: claims.amountCents,
          paidCents: claims.paidCents,
          outstandingCents: claims.outstandingCents,
          claimNumber: claims.claimNumber,
          voidedAt: claims.voidedAt,
        }),
      )
      .from(claims)
      .where(isAfter())
      .orderBy(asc(claims.dateOfLoss), asc(claims.id))
      .limit(placeholder("limit")),
  );
  const page = engine.prepared(() =>
    db
      .select()
      .from(claims)
      .where(and(eq(claims.propertyId, placeholder("propertyId")), isValid))
      .orderBy(desc(claims.dateOfLoss), desc(claims.id))
      .limit(placeholder("limit"))
      .offset(placeholder("offset")),
  );
  const counted = engine.prepared(() =>
    db
      .select({ n: count() })
      .from(claims)
      .where(and(eq(claims.propertyId, placeholder("propertyId")), isValid)),
  );
  const byId = engine.prepared(() =>
    db
      .select()
      .from(claims)
      .where(eq(claims.id, placeholder("id"))),
  );
  const ofNumbers = engine.prepared(() =>
    db
      .select()
      .from(claims)
      .where(
        and(
          eq(claims.propertyId, placeholder("propertyId")),
          isNotNull(claims.claimNumber),
          isAmong(claims.claimNumber, "numbers"),
          isValid,
        ),
      )
      .orderBy(asc(claims.claimNumber), asc(claims.id)),
  );
  return {
    /** Returns a claim of any partner, also a voided one. */
    async find(id: string): Promise<Claim | undefined> {
      return (await byId().execute({ id }))[0];
    },
    /** Returns a property's valid claims with one of the claim numbers, the first recorded of each number first. */
    async ofNumbers(propertyId: string, numbers: readonly string[]): Promise<Claim[]> {
      return await ofNumbers().execute({ propertyId, numbers: engine.list(numbers) });
    },
    async update(id: string, change: Partial<Claim>): Promise<void> {
      await db.update(claims).set(change).where(eq(claims.id, id));
    },
    async insert(claim: Claim): Promise<void> {
      await db.insert(claims).values(claim);
    },
    /** Returns the columns for scoring of at most `limit` claims of the properties, in no order. */
    async evidence(propertyIds: readonly string[], limit: number): Promise<ClaimEvidenceRow[]> {
      return evidence({ propertyIds: engine.list(propertyIds), limit });
    },
    /** Returns the columns for scoring of a property's claims after `last`, ordered by date of loss. */
    async evidenceAfter(
      propertyId: string,
      last: Pick<ClaimEvidenceRow, "dateOfLoss" | "id"> | undefined,
      limit: number,
    ): Promise<ClaimEvidenceRow[]> {
      const { dateOfLoss, id } = last ?? { dateOfLoss: "", id: "" };
      return evidenceAfter({ propertyId, dateOfLoss, id, limit });
    },
    /** Returns a property's claims after a place, voided ones too, ordered by date of loss. */
    async countedAfter(
      propertyId: string,
      { dateOfLoss, id }: ClaimPlace,
      limit: number,
    ): Promise<CountedClaim[]> {
      return countedAfter({ propertyId, dateOfLoss, id, limit });
    },
    /** Ordered by date of loss, the newest first. */
    async page(propertyId: string, slice: StoredRowRange): Promise<Claim[]> {
      return await page().execute({ propertyId, ...slice });
    },
    /** Moves claims to another property. */
    async move(ids: readonly string[], propertyId: string): Promise<void> {
      await db
        .update(claims)
        .set({ propertyId })
        .where(inArray(claims.id, [...ids]));
    },
    async count(propertyId: string): Promise<number> {
      return (await counted().execute({ propertyId }))[0]!.n;
    },
  };
}
