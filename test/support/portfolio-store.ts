import type { Appliance, NewAppliance } from "../../src/domain/appliance.ts";
import type { Component } from "../../src/domain/component.ts";
import type { Partner } from "../../src/domain/partner.ts";
import type { NewProperty, Property } from "../../src/domain/property.ts";
import { embeddedKnowledge } from "../../src/knowledge/embedded-knowledge.ts";
import type { ImportRequest } from "../../src/usecases/import/import-portfolio.ts";
import { createAppliance } from "../../src/usecases/portfolio/create-or-change-appliance.ts";
import { createPropertyAndQueueWebhook } from "../../src/usecases/portfolio/create-or-change-property.ts";
import { type PortfolioWriter, writePortfolio } from "../../src/usecases/portfolio/portfolio-writer.ts";
import { type PartnerFixture, usePartnerStore } from "./partner-store.ts";

export const knowledge = embeddedKnowledge();

export const PROPERTY: NewProperty = {
  name: "Elm Court",
  address: "1 Elm St",
  city: "Albany",
  state: "NY",
  zip: "12207",
  unitCount: 0,
  yearBuilt: null,
  notes: null,
  partnerPropertyId: null,
};
export const APPLIANCE: Omit<NewAppliance, "propertyId"> = {
  typeId: "water_heater_gas",
  installYear: 2000,
  unitId: null,
  brand: null,
  model: null,
  serial: null,
  brandTier: null,
  usageIntensity: null,
  warrantyExpiry: null,
};

/** A partner's database with the writes that make up a portfolio. */
export type PortfolioFixture = Omit<PartnerFixture, "copy"> & {
  partner: Partner;
  /** The request of an import, apart from its sources. */
  importing: Pick<ImportRequest, "store" | "knowledge" | "partner" | "clock" | "actor">;
  write<T>(run: (writer: PortfolioWriter) => Promise<T>): Promise<T>;
  addProperty(fields?: Partial<NewProperty>): Promise<Property>;
  addAppliances(...appliances: (Partial<NewAppliance> & { propertyId: string })[]): Promise<Appliance[]>;
  components(propertyId: string): Promise<Component[]>;
  /** Copies the fixture, as `PartnerFixture.copy` does: a slow setup is written once for a test file. */
  copy(): Promise<PortfolioFixture>;
};

/** Call it at the file's top, as `usePartnerStore`. */
export function usePortfolioStore(options: Parameters<typeof usePartnerStore>[0] = {}) {
  const open = usePartnerStore(options);
  const portfolioOf = async (fixture: PartnerFixture): Promise<PortfolioFixture> => {
    const partner = (await fixture.store.read.partners.find(fixture.partnerId))!;
    const write = <T>(run: (writer: PortfolioWriter) => Promise<T>) =>
      writePortfolio(fixture.store.write, knowledge, partner, run);
    return {
      ...fixture,
      partner,
      importing: { store: fixture.store, knowledge, partner, clock: fixture.clock, actor: "cli:test" },
      write,
      addProperty: (fields = {}) =>
        write((writer) =>
          createPropertyAndQueueWebhook(writer, { ...PROPERTY, ...fields }, { source: "api" }),
        ),
      addAppliances: (...appliances) =>
        write(async (writer) => {
          const made: Appliance[] = [];
          for (const fields of appliances)
            made.push((await createAppliance(writer, { ...APPLIANCE, ...fields })).appliance);
          return made;
        }),
      components: (propertyId) => fixture.store.read.components.ofProperties([propertyId]),
      copy: async () => portfolioOf(await fixture.copy()),
    };
  };
  return async (now: number, webhookUrl: string | null = null): Promise<PortfolioFixture> =>
    portfolioOf(await open(now, webhookUrl));
}
