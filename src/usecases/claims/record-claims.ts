import { serializeStoredClaim } from "../../api-schemas/claim-schema.ts";
import type { ChangeOrVoid, Voiding } from "../../api-schemas/voiding-schema.ts";
import { type Claim, type ClaimChange, type NewClaim, NO_LOSS_FIGURES } from "../../domain/claim.ts";
import type { Component } from "../../domain/component.ts";
import { conflict, notFound } from "../../domain/errors.ts";
import { type Property, propertyNotFound } from "../../domain/property.ts";
import { checkClaimDaysRule } from "../../domain/rules/claim-days-rule.ts";
import { checkNotRetiredRule } from "../../domain/rules/retirement-rule.ts";
import { voidingByRule } from "../../domain/rules/voiding-rule.ts";
import { strongestClaims } from "../../domain/scoring/claim-evidence.ts";
import { dayNumber, dayOf } from "../../domain/time.ts";
import type { AuditAction } from "../../domain/wording/audit-action-wording.ts";
import type { ScoredAppliance } from "../../store/queries/appliances-queries.ts";
import type { Stores } from "../../store/stores.ts";
import { loadAppliancesOfHistory } from "../history/load-history-appliances.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { rescoreProperty } from "../rescoring/rescore.ts";
import { loadClaimEvidence } from "./load-claim-evidence.ts";

/**
 * Records and corrects insurance claims of one property and, when `finish` is called, scores the appliances that they affect.
 */
export class ClaimLog {
  /** The changed claims as they were before; null for a new one. */
  readonly #before = new Map<string, Claim | null>();

  constructor(
    private readonly writer: PortfolioWriter,
    private readonly property: Property,
  ) {}

  /**
   * Writes one claim. Throws invalid_request, or conflict if the property has one with its number, with nothing written.
   * With `isNumberUnused` the caller has checked the number.
   */
  async add(input: NewClaim, { isNumberUnused = false } = {}): Promise<Claim> {
    const { tx, partner } = this.writer;
    checkClaimDaysRule({ ...NO_LOSS_FIGURES, ...input }, dayOf(tx.now));
    if (!isNumberUnused) await this.#refuseTakenNumber(input.claimNumber);
    const claim: Claim = {
      ...NO_LOSS_FIGURES,
      voidedAt: null,
      voidReason: null,
      ...input,
      id: tx.newId("claim"),
      partnerId: partner.id,
      propertyId: this.property.id,
      createdAt: this.writer.rows.nextInstant(),
    };
    await tx.claims.insert(claim);
    this.#before.set(claim.id, null);
    return claim;
  }

  /** Corrects a claim of the property, with an entry in the audit log. Throws as `add` does. */
  async change(before: Claim, change: ClaimChange): Promise<Claim> {
    if (before.voidedAt !== null)
      throw conflict(`Claim ${before.id} was voided and cannot be changed: record it again`);
    const { tx } = this.writer;
    const after: Claim = { ...before, ...change };
    checkClaimDaysRule(after, dayOf(tx.now));
    if (after.claimNumber !== before.claimNumber) await this.#refuseTakenNumber(after.claimNumber);
    await this.#replace(before, after, change, "claim.update");
    return after;
  }

  /**
   * Voids a claim, with an entry in the audit log: it is kept, and no longer counts. A voided claim stays as it is, but for a
   * reason if it has none.
   */
  async void(before: Claim, { reason }: Voiding): Promise<Claim> {
    const voiding = voidingByRule(before, reason, this.writer.tx.now);
    if (!voiding) return before;
    const after = { ...before, ...voiding };
    await this.#replace(before, after, voiding, "claim.void");
    return after;
  }

  async #replace(before: Claim, after: Claim, change: Partial<Claim>, action: AuditAction): Promise<void> {
    if (Object.keys(change).length > 0) await this.writer.tx.claims.update(before.id, change);
    const [from, to] = [serializeStoredClaim(before), serializeStoredClaim(after)];
    await this.writer.auditCorrection(action, before.id, from, to);
    if (!this.#before.has(before.id)) this.#before.set(before.id, before);
  }

  async #refuseTakenNumber(number: string | null): Promise<void> {
    if (number === null) return;
    const [taken] = await this.writer.tx.claims.ofNumbers(this.property.id, [number]);
    if (taken)
      throw conflict(`claim_number is already in use by claim ${taken.id} of the property: update that one`);
  }

  /** Scores the affected components and returns them. */
  async finish(): Promise<Component[]> {
    const moved = await this.#movedDefs();
    if (moved.size === 0) return [];
    const { tx, knowledge } = this.writer;
    const isMoved = ({ typeId }: ScoredAppliance) =>
      knowledge.type(typeId).components.some(({ id }) => moved.has(id));
    const appliances = (await loadAppliancesOfHistory(tx, this.property.id)).filter(isMoved);
    if (appliances.length === 0) return [];
    return await rescoreProperty(this.writer, this.property, appliances, "history");
  }

  /**
   * Returns the component definitions whose effective claims have changed: those affected by changed claims that are or
   * were among the strongest, and by the claims that these displaced or let in.
   */
  async #movedDefs(): Promise<ReadonlySet<string>> {
    const { tx, knowledge } = this.writer;
    const today = dayNumber(dayOf(tx.now));
    const { id } = this.property;
    const all = (await loadClaimEvidence(tx, knowledge, [id])).get(id) ?? [];
    const unchanged = all.filter(({ id }) => !this.#before.has(id));
    const earlier = [...this.#before.values()].filter(
      (claim): claim is Claim => claim !== null && claim.voidedAt === null,
    );
    const before = strongestClaims(knowledge, [...unchanged, ...earlier], today);
    const after = strongestClaims(knowledge, all, today);
    const kept = new Set(before.map(effectOf)).intersection(new Set(after.map(effectOf)));
    const moved = [...before, ...after].filter((claim) => !kept.has(effectOf(claim)));
    return new Set(moved.flatMap(({ type }) => [...type.componentIds]));
  }
}

/** Returns a text that is equal for equal effects on scores. */
const effectOf = ({ id, claimType, dateOfLoss }: Pick<Claim, "id" | "claimType" | "dateOfLoss">) =>
  `${id} ${claimType} ${dateOfLoss}`;

/** Changes or voids a claim, and updates the scores that it affects. Throws not_found, invalid_request or conflict. */
export async function correctClaim(
  writer: PortfolioWriter,
  { propertyId, claimId }: { propertyId: string; claimId: string },
  request: ChangeOrVoid<ClaimChange>,
): Promise<Claim> {
  const { tx, partner } = writer;
  const property = await tx.properties.find(partner.id, propertyId);
  if (!property) throw propertyNotFound();
  checkNotRetiredRule("Property", property);
  const before = await loadClaimOfPartner(tx, propertyId, claimId);
  const log = new ClaimLog(writer, property);
  const after =
    "void" in request ? await log.void(before, request.void) : await log.change(before, request.change);
  await log.finish();
  return after;
}

/** Returns a claim of the property. Throws not_found. */
export async function loadClaimOfPartner(
  { claims }: Pick<Stores, "claims">,
  propertyId: string,
  claimId: string,
): Promise<Claim> {
  const claim = await claims.find(claimId);
  if (claim?.propertyId !== propertyId) throw notFound("Claim not found");
  return claim;
}
