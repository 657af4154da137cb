import { serializeUnderwriting, type UnderwritingJson } from "../../api-schemas/underwriting-schema.ts";
import { claimIncurredCents } from "../../domain/claim.ts";
import type { PlacedComponent } from "../../domain/component.ts";
import { WholeUnitCostSums } from "../../domain/costs/whole-unit-cost-sums.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { damageSavedByReplacement } from "../../domain/losses/replacement-damage-savings.ts";
import type { Property } from "../../domain/property.ts";
import { isRetired } from "../../domain/rules/retirement-rule.ts";
import { addDays, dayOf } from "../../domain/time.ts";
import { selectStoredComponents } from "../../store/select-stored-rows.ts";
import { loadCurrentPartnerPrices } from "../costs/load-partner-prices.ts";
import { loadPropertyCompliance } from "../inspections/load-property-compliance.ts";
import type { ShownPartner } from "../revision-caches/revision-caches.ts";
import type { LossBooks, LossDeps, LossRequest } from "./load-loss-books.ts";
import { loadPricedLosses } from "./load-priced-losses.ts";

/** The years whose claims are counted. */
const CLAIM_YEARS = 5;
/** Claims read by one query, and the components that are named. */
const CLAIM_PAGE = 500;
const NAMED = 5;

/** The properties that a property is compared with: those of its partner, or of all partners. */
type Scope = "portfolio" | "book";

/** Returns an underwriting page. */
export async function loadPropertyUnderwriting(
  deps: LossDeps,
  knowledge: Knowledge,
  books: LossBooks,
  { property, owner, among }: { property: Property; owner: ShownPartner; among: Scope },
  request: LossRequest,
): Promise<UnderwritingJson> {
  const { store, now, yieldNow, reserveMemory } = deps;
  const today = dayOf(now);
  const own = await books.ofProperty(deps, owner, property, request);
  const inspections = await loadPropertyCompliance(
    store,
    knowledge,
    property,
    today,
    yieldNow,
    reserveMemory,
  );
  const flags = await store.read.flags.ofProperties([property.id]);
  return serializeUnderwriting(knowledge, {
    property,
    losses: await loadPricedLosses(knowledge, own, request, {
      terms: undefined,
      deviation: async () => 0,
    }),
    flags: flags.get(property.id) ?? [],
    overdue: inspections.filter(({ regime, status }) => regime.mandatory && status === "OVERDUE"),
    claims: await claimsOf(deps, property),
    expectedDamages: own.losses.expectedDamages,
    control: await lossControlOf(deps, knowledge, property),
    standing: await standingOf(deps, property, among),
  });
}

async function claimsOf({ store, now, yieldNow }: LossDeps, { id: propertyId }: Property) {
  const since = addDays(dayOf(now), -Math.round(CLAIM_YEARS * 365.25));
  let [count, incurred] = [0, 0];
  // Every ID is after the empty one.
  for (let last = { dateOfLoss: since, id: "" }; ; await yieldNow()) {
    const claims = await store.read.claims.countedAfter(propertyId, last, CLAIM_PAGE);
    for (const claim of claims)
      if (claim.status !== "denied" && claim.voidedAt === null) {
        count++;
        incurred += claimIncurredCents(claim) ?? claim.amountCents;
      }
    if (claims.length < CLAIM_PAGE) return { since, count, incurredCents: incurred, years: CLAIM_YEARS };
    last = claims.at(-1)!;
  }
}

/**
 * Returns what replacing the elevated components whose failure may do damage would cost and save. Components of a unit that is
 * replaced as a whole cost what the unit does at most.
 */
async function lossControlOf(
  { store, yieldNow, reserveMemory }: LossDeps,
  knowledge: Knowledge,
  { id, partnerId }: Property,
) {
  const prices = await loadCurrentPartnerPrices(store.read, knowledge, partnerId);
  type Line = { component: PlacedComponent; plannedCents: number; savedCents: number };
  const perDollar = ({ savedCents, plannedCents }: Line) => savedCents / Math.max(plannedCents, 1);
  const costs = new WholeUnitCostSums();
  const sums = { components: 0, savedCents: 0 };
  /** The lines that save the most for their cost, first to last. */
  const best: Line[] = [];
  const visit = (component: PlacedComponent) => {
    const ofType = prices.ofAppliance(component, component);
    costs.see(component, ofType);
    if (component.riskTier === "GOOD") return 0;
    const own = ofType.component(component.defId, component);
    const savedCents = damageSavedByReplacement(knowledge, component, own);
    if (savedCents === 0) return 0;
    const line = { component, plannedCents: own.plannedCents, savedCents };
    sums.components++;
    sums.savedCents += savedCents;
    costs.add(component.applianceId, ofType, own);
    const after = best.findIndex((other) => perDollar(other) < perDollar(line));
    if (after >= 0) best.splice(after, 0, line);
    else if (best.length < NAMED) best.push(line);
    best.length = Math.min(best.length, NAMED);
    return 0;
  };
  await selectStoredComponents(store, id, visit, yieldNow, reserveMemory);
  return { ...sums, plannedCents: costs.sums.first.planned, best };
}

/** Returns how a property stood at the latest comparison; null before its first one, and for a retired property. */
async function standingOf({ store }: LossDeps, property: Property, among: Scope) {
  const known = await store.read.standings.ofProperty(property.id);
  if (!known || isRetired(property)) return null;
  const { others, lowerExpected, lowerDamage } = known[among];
  const shareOf = (lower: number) => (others === 0 ? null : lower / others);
  return {
    day: known.day,
    properties: others + 1,
    expected: shareOf(lowerExpected),
    damage: shareOf(lowerDamage),
  };
}
