import { serializeStatedComponent } from "../../api-schemas/component-change-schema.ts";
import type { Appliance } from "../../domain/appliance.ts";
import {
  type ComponentChange,
  componentAfterChange,
  type PlacedComponent,
  partYearBasis,
  type StatedComponentFields,
  statedFieldsOfComponent,
} from "../../domain/component.ts";
import { notFound } from "../../domain/errors.ts";
import type { Property } from "../../domain/property.ts";
import { checkBuildingYearRule } from "../../domain/rules/building-year-rule.ts";
import { costsRuleWarnings } from "../../domain/rules/cost-line-rule.ts";
import { checkComponentNotRetiredRule, checkNotRetiredRule } from "../../domain/rules/retirement-rule.ts";
import { dayOf, yearOf } from "../../domain/time.ts";
import type { Stores } from "../../store/stores.ts";
import { type RescoreInput, rescoreProperties } from "../rescoring/rescore.ts";
import { loadInstallYearWarnings } from "./create-or-change-appliance.ts";
import type { PortfolioWriter } from "./portfolio-writer.ts";

/** Corrects what is stated of components and, when `finish` is called, scores their appliances. */
export class ComponentCorrector {
  /** The appliances to score, by property. */
  readonly #aged = new Map<string, Map<string, Appliance>>();
  readonly #properties = new Map<string, Property>();

  constructor(private readonly writer: PortfolioWriter) {}

  /** Returns what is stated of a component now. */
  async stated(component: PlacedComponent): Promise<StatedComponentFields> {
    return statedFieldsOfComponent(component, await this.writer.prices());
  }

  /**
   * Changes a component, with an entry in the audit log. A value that holds already changes nothing, so that an answered record
   * can be sent back. Throws invalid_request or conflict, with nothing written.
   */
  async change(component: PlacedComponent, change: ComponentChange): Promise<PlacedComponent> {
    const { tx, partner } = this.writer;
    if (change.installYear != null)
      checkBuildingYearRule("install_year", change.installYear, yearOf(dayOf(tx.now)));
    const appliance = (await tx.appliances.find(partner.id, component.applianceId))!;
    const prices = await this.writer.prices();
    const changed = componentAfterChange(component, change, {
      prices,
      applianceYear: appliance.installYear,
    });
    if (COLUMNS.every((column) => changed[column] === component[column])) return component;
    checkNotRetiredRule("Appliance", appliance);
    checkComponentNotRetiredRule(component);
    const property = await this.#property(component.propertyId);
    if (OWN_COSTS.some((column) => changed[column] !== component[column]))
      this.writer.priceChanges(appliance, property, component);
    const columns = Object.fromEntries(COLUMNS.map((column) => [column, changed[column]]));
    await tx.components.update(component.id, columns);
    const audited = async (version: PlacedComponent) => ({
      ...serializeStatedComponent(await this.stated(version)),
      install_year_basis: partYearBasis(version),
    });
    await this.writer.auditCorrection(
      "component.update",
      component.id,
      await audited(component),
      await audited(changed),
    );
    const appliances = this.#aged.get(property.id) ?? new Map<string, Appliance>();
    this.#aged.set(property.id, appliances.set(appliance.id, appliance));
    return changed;
  }

  /** Scores the appliances of changed components. */
  async finish(): Promise<void> {
    const rescorings = [...this.#aged].map(
      ([propertyId, appliances]): RescoreInput => ({
        property: this.#properties.get(propertyId)!,
        changed: [...appliances.values()],
        cause: "history",
      }),
    );
    await rescoreProperties(this.writer, rescorings);
  }

  async #property(id: string): Promise<Property> {
    const { tx, partner } = this.writer;
    const property = this.#properties.get(id) ?? (await tx.properties.find(partner.id, id))!;
    this.#properties.set(id, property);
    return property;
  }
}

const OWN_COSTS = ["ownPlannedCents", "ownFailedCents"] as const;
/** The columns that a correction can change. */
const COLUMNS = ["installYear", "installYearGiven", "overrideLifespan", "past", ...OWN_COSTS] as const;

/** A component after a change, and values of it that are probably errors. */
type Changed = { component: PlacedComponent; warnings: string[] };

/** Changes a component, and the scores that follow from it. Throws not_found, invalid_request or conflict. */
export async function changeComponent(
  writer: PortfolioWriter,
  id: string,
  change: ComponentChange,
): Promise<Changed> {
  const { tx, partner } = writer;
  const corrections = new ComponentCorrector(writer);
  await corrections.change(await loadComponentOfPartner(tx, partner.id, id), change);
  await corrections.finish();
  const component = await loadComponentOfPartner(tx, partner.id, id);
  const { ownPlannedCents: plannedCents, ownFailedCents: failedCents } = component;
  const hasCosts = change.plannedCents !== undefined || change.failedCents !== undefined;
  const warnings = hasCosts ? costsRuleWarnings({ plannedCents, failedCents }) : [];
  if (change.installYear === undefined) return { component, warnings };
  const appliance = (await tx.appliances.find(partner.id, component.applianceId))!;
  const property = (await tx.properties.find(partner.id, component.propertyId))!;
  const { installYear } = component;
  const isEarly = installYear < appliance.installYear;
  return {
    component,
    warnings: [
      ...warnings,
      ...(isEarly
        ? [`install_year ${installYear} is before install_year ${appliance.installYear} of the appliance`]
        : []),
      ...loadInstallYearWarnings(component, property),
    ],
  };
}

/** Returns a component of the partner. Throws not_found. */
export async function loadComponentOfPartner(
  { components }: Pick<Stores, "components">,
  partnerId: string,
  id: string,
): Promise<PlacedComponent> {
  const component = await components.find(partnerId, id);
  if (!component) throw notFound("Component not found");
  return component;
}
