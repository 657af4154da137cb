import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { PlacedComponent } from "../../domain/component.ts";
import type { PricedComponent } from "../../domain/costs/price-list.ts";
import type { StoredOutlook } from "../../domain/projections.ts";
import type { Engine } from "../engine.ts";
import { aliased } from "./aliased-columns.ts";

const { placeholder } = sql;

/** The columns that the losses of a component follow from. */
export type LossRow = StoredOutlook &
  PricedComponent &
  Pick<
    PlacedComponent,
    | "seq"
    | "propertyId"
    | "brandTier"
    | "confidence"
    | "installYear"
    | "lastReplaced"
    | "past"
    | "installYearBasis"
    | "recordsSince"
  >;

/** Reads the rows from which losses are computed. */
export function lossRowStore(engine: Engine) {
  const { db } = engine;
  const { appliances, components, properties } = engine.tables;
  const after = (owner: SQL) =>
    engine.read<LossRow>(() =>
      db
        .select(
          aliased({
            seq: components.seq,
            defId: components.defId,
            propertyId: components.propertyId,
            overrideLifespan: components.overrideLifespan,
            lifeFactor: components.lifeFactor,
            effectiveAgeYears: components.effectiveAgeYears,
            rate: components.rate,
            hazardRatio: components.hazardRatio,
            acuteHazard: components.acuteHazard,
            confidence: components.confidence,
            installYear: components.installYear,
            lastReplaced: components.lastReplaced,
            past: components.past,
            brandTier: appliances.brandTier,
            installYearBasis: appliances.installYearBasis,
            recordsSince: properties.recordsSince,
            state: properties.state,
            unitCount: properties.unitCount,
            typeId: appliances.typeId,
            size: appliances.size,
            unitId: appliances.unitId,
            grossAreaSqft: properties.grossAreaSqft,
            stories: properties.stories,
          }),
        )
        .from(components)
        .innerJoin(appliances, eq(appliances.id, components.applianceId))
        .innerJoin(properties, eq(properties.id, components.propertyId))
        .where(and(owner, gt(components.seq, placeholder("after"))))
        .orderBy(asc(components.seq))
        .limit(placeholder("limit")),
    );
  const ofPartner = after(eq(components.partnerId, placeholder("partnerId")));
  const ofProperty = after(eq(components.propertyId, placeholder("propertyId")));
  const demos = engine.prepared(() =>
    db
      .select({ id: properties.id })
      .from(properties)
      .where(and(eq(properties.partnerId, placeholder("partnerId")), engine.isTrue(properties.isDemo))),
  );
  return {
    /** Returns the rows of a partner with a `seq` after `after`, in order; 0 returns all. */
    async ofPartnerAfter(partnerId: string, after: number, limit: number): Promise<LossRow[]> {
      return ofPartner({ partnerId, after, limit });
    },
    /** Returns the rows of a property with a `seq` after `after`, in order; 0 returns all. */
    async ofPropertyAfter(propertyId: string, after: number, limit: number): Promise<LossRow[]> {
      return ofProperty({ propertyId, after, limit });
    },
    async demoPropertyIds(partnerId: string): Promise<string[]> {
      return (await demos().execute({ partnerId })).map(({ id }) => id);
    },
  };
}
