import type { Knowledge } from "../../domain/knowledge.ts";
import { type Yield, yieldToEventLoop } from "../../event-loop.ts";
import type { ClaimEvidenceRow } from "../../store/queries/claims.ts";
import type { Store, Tx } from "../../store/store.ts";
import type { Stores } from "../../store/stores.ts";

/** How many claims are taken in one step. */
const SIZES = {
  /** Of however many properties. */
  atOnce: 10_000,
  /** Of more, those of one property are read so many at a time. */
  page: 2_000,
};
/** About what a claim takes while an answer is made of it. */
const CLAIM_BYTES = 1_200;

/**
 * What scoring reads of properties' claims, by their ids. Where there are very many they are read in short steps, and
 * of those of one type and day as many are kept as may count.
 */
export async function loadClaims(
  stores: Stores | Tx,
  knowledge: Knowledge,
  propertyIds: readonly string[],
  sizes = SIZES,
): Promise<Map<string, ClaimEvidenceRow[]>> {
  const rows = await stores.claims.evidence(propertyIds, sizes.atOnce + 1);
  if (rows.length <= sizes.atOnce) return Map.groupBy(rows, ({ propertyId }) => propertyId);
  const yieldNow: Yield = "yieldToEventLoop" in stores ? stores.yieldToEventLoop : yieldToEventLoop;
  const claims = new Map<string, ClaimEvidenceRow[]>();
  const most = knowledge.model.evidence.claims.counted;
  for (const id of propertyIds) {
    const some: ClaimEvidenceRow[] = [];
    let alike = { on: "", byType: new Map<string, number>() };
    for await (const page of pagesOf(stores, id, sizes.page, yieldNow))
      for (const claim of page) {
        if (claim.status === "denied" || !knowledge.claimType(claim.claimType)) continue;
        if (claim.dateOfLoss !== alike.on) alike = { on: claim.dateOfLoss, byType: new Map() };
        const before = alike.byType.get(claim.claimType) ?? 0;
        alike.byType.set(claim.claimType, before + 1);
        if (before < most) some.push(claim);
      }
    claims.set(id, some);
  }
  return claims;
}

/** All of a property's claims as they stood at one moment. `hold` is told how many bytes more they take. */
export async function claimsOf(
  store: Pick<Store, "read" | "inReadSnapshot">,
  propertyId: string,
  hold: (bytes: number) => void,
): Promise<ClaimEvidenceRow[]> {
  const first = await store.read.claims.evidenceAfter(propertyId, undefined, SIZES.page);
  // One step sees one moment by itself.
  if (first.length < SIZES.page) {
    hold(first.length * CLAIM_BYTES);
    return first;
  }
  return await store.inReadSnapshot(async (read) => {
    const all: ClaimEvidenceRow[] = [];
    for await (const page of pagesOf(read, propertyId, SIZES.page, yieldToEventLoop)) {
      hold(page.length * CLAIM_BYTES);
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
