import type { Appliance } from "../../domain/appliance.ts";
import { type Component, tierOfHundredths } from "../../domain/component.ts";
import { dayOf } from "../../domain/time.ts";
import type { PortfolioWriter } from "./portfolio-writer.ts";

/** Returns a new component of an appliance, numbered and not scored yet. */
export function createComponentForPortfolioWriter(
  writer: PortfolioWriter,
  appliance: Appliance,
  defId: string,
): Component {
  const { tx } = writer;
  return {
    id: tx.newId("component"),
    partnerId: appliance.partnerId,
    propertyId: appliance.propertyId,
    applianceId: appliance.id,
    seq: writer.nextSeq("components"),
    defId,
    installYear: appliance.installYear,
    installYearGiven: false,
    lastReplaced: null,
    lastServiced: null,
    overrideLifespan: null,
    ownPlannedCents: null,
    ownFailedCents: null,
    past: null,
    expectedCostCents: 0,
    riskScore: 0,
    riskTier: tierOfHundredths(0),
    confidence: "LOW",
    announcedTier: "GOOD",
    lifeFactor: 1,
    effectiveAgeYears: 0,
    rate: 1,
    hazardRatio: 1,
    acuteHazard: 0,
    scoredOn: dayOf(tx.now),
    trendScore: null,
    rescoredAt: appliance.createdAt,
    createdAt: appliance.createdAt,
  };
}
