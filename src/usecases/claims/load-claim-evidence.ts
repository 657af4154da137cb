import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { ClaimEvidenceRow } from "../../store/queries/claims-queries.ts";
import { type Store, type Tx, yieldOfStores } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

/** Claims per step. */
const SIZES = {
  /** The limit for one query over any number of properties. */
  atOnce: 10_000,
  /** Beyond that, the page size of a single property. */
  page: 2_000,
};
/** The approximate memory of a claim while it is serialized, in bytes. */
const CLAIM_BYTES = 1_200;

/**
 * Loads the claims that scoring reads, by property. Where there are very many, they are read in short steps and, of
 * those of one type and day, only as many as can count are retained.
 */
export async function loadClaimEvidence(
  stores: Stores | Tx,
  knowledge: Knowledge,
  propertyIds: readonly string[],
  sizes = SIZES,
  yieldNow: Yield = yieldOfStores(stores),
): Promise<Map<string, ClaimEvidenceRow[]>> {
  const rows = await stores.claims.evidence(propertyIds, sizes.atOnce + 1);
  if (rows.length <= sizes.atOnce) return Map.groupBy(rows, ({ propertyId }) => propertyId);
  const claims = new Map<string, ClaimEvidenceRow[]>();
  const most = knowledge.model.evidence.claims.counted;
  for (const id of propertyIds) {
    const some: ClaimEvidenceRow[] = [];
    let sameDay = { on: "", byType: new Map<string, number>() };
    for await (const page of pagesOf(stores, id, sizes.page, yieldNow))
      for (const claim of page) {
        if (claim.status === "denied" || !knowledge.claimType(claim.claimType)) continue;
        if (claim.dateOfLoss !== sameDay.on) sameDay = { on: claim.dateOfLoss, byType: new Map() };
        const before = sameDay.byType.get(claim.claimType) ?? 0;
        sameDay.byType.set(claim.claimType, before + 1);
        if (before < most) some.push(claim);
      }
    claims.set(id, some);
  }
  return claims;
}

/**
 * Returns all claims of a property from one snapshot of the database. `reserve` receives the bytes that are
 * retained.
 */
export async function loadClaimEvidenceOfProperty(
  store: Pick<Store, "read" | "inReadSnapshot">,
  propertyId: string,
  yieldNow: Yield,
  reserve: (bytes: number) => void,
): Promise<ClaimEvidenceRow[]> {
  const first = await store.read.claims.evidenceAfter(propertyId, undefined, SIZES.page);
  // A single query is consistent without a read transaction.
  if (first.length < SIZES.page) {
    reserve(first.length * CLAIM_BYTES);
    return first;
  }
  return await store.inReadSnapshot(async (read) => {
    const all: ClaimEvidenceRow[] = [];
    for await (const page of pagesOf(read, propertyId, SIZES.page, yieldNow)) {
      reserve(page.length * CLAIM_BYTES);
      for (const claim of page) all.push(claim);
    }
    return all;
  });
}

async function* pagesOf(
  { claims }: Pick<Stores, "claims">,
  propertyId: string,
  limit: number,
  yieldNow: Yield,
): AsyncGenerator<ClaimEvidenceRow[], void> {
  for (let last: ClaimEvidenceRow | undefined; ; await yieldNow()) {
    const page = await claims.evidenceAfter(propertyId, last, limit);
    yield page;
    if (page.length < limit) return;
    last = page.at(-1);
  }
}
