import { type Claim, type NewClaim, NO_LOSS_FIGURES } from "../../domain/claim.ts";
import type { Component } from "../../domain/component.ts";
import { checkPastDay } from "../../domain/past-day.ts";
import type { Property } from "../../domain/property.ts";
import { strongestClaims } from "../../domain/scoring/claims.ts";
import { dayNumber, dayOf } from "../../domain/time.ts";
import type { ScoredAppliance } from "../../store/queries/appliances.ts";
import { appliancesForScoring } from "../history/scored-appliances.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { rescore } from "../portfolio/rescore.ts";
import { loadClaims } from "./property-claims.ts";

/**
 * Records insurance claims of one property and, when `finish` is called, scores the appliances that they affect.
 */
export class ClaimLog {
  #recorded = new Set<string>();

  constructor(
    private readonly writer: PortfolioWriter,
    private readonly property: Property,
  ) {}

  /** Writes one claim. Throws invalid_request, with nothing written. */
  async add(input: NewClaim): Promise<Claim> {
    const { tx, partner } = this.writer;
    checkPastDay("date_of_loss", input.dateOfLoss, dayOf(tx.now));
    const claim: Claim = {
      ...NO_LOSS_FIGURES,
      ...input,
      id: tx.newId("claim"),
      partnerId: partner.id,
      propertyId: this.property.id,
      createdAt: this.writer.rows.nextInstant(),
    };
    await tx.claims.insert(claim);
    this.#recorded.add(claim.id);
    return claim;
  }

  /** Scores the affected components and returns them. */
  async finish(): Promise<Component[]> {
    const moved = await this.#movedDefs();
    if (moved.size === 0) return [];
    const { tx, knowledge } = this.writer;
    const isMoved = ({ typeId }: ScoredAppliance) =>
      knowledge.type(typeId).components.some(({ id }) => moved.has(id));
    const appliances = (await appliancesForScoring(tx, this.property.id)).filter(isMoved);
    if (appliances.length === 0) return [];
    return await rescore(this.writer, this.property, appliances, "history");
  }

  /**
   * Returns the component definitions whose effective claims have changed: those affected by new claims among the
   * strongest, and by the claims that these displaced.
   */
  async #movedDefs(): Promise<ReadonlySet<string>> {
    const { tx, knowledge } = this.writer;
    const today = dayNumber(dayOf(tx.now));
    const { id } = this.property;
    const all = (await loadClaims(tx, knowledge, [id])).get(id) ?? [];
    const before = strongestClaims(
      knowledge,
      all.filter(({ id }) => !this.#recorded.has(id)),
      today,
    );
    const after = strongestClaims(knowledge, all, today);
    const kept = new Set(before.map(({ id }) => id)).intersection(new Set(after.map(({ id }) => id)));
    const moved = [...before, ...after].filter(({ id }) => !kept.has(id));
    return new Set(moved.flatMap(({ type }) => [...type.componentIds]));
  }
}
