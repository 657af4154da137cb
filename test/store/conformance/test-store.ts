import type { Appliance, NewAppliance } from "../../../src/domain/appliance.ts";
import type { Partner } from "../../../src/domain/partner.ts";
import type { NewProperty, Property } from "../../../src/domain/property.ts";
import { embeddedKnowledge } from "../../../src/knowledge/embedded-knowledge.ts";
import type { Store, StoreOptions, Tx } from "../../../src/store/store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createAppliance } from "../../../src/usecases/portfolio/create-or-change-appliance.ts";
import { createPropertyAndQueueWebhook } from "../../../src/usecases/portfolio/create-or-change-property.ts";
import { type PortfolioWriter, writePortfolio } from "../../../src/usecases/portfolio/portfolio-writer.ts";

/** A database for one test. Each call opens a store on it, as another server would. The code that makes it closes the stores. */
export type Database = { open(options?: Partial<StoreOptions>): Promise<Store> };
/** Makes an empty database with the current schema. */
export type MakeDatabase = () => Promise<Database>;

export const knowledge = embeddedKnowledge();
export const NOW = Date.parse("2026-03-10T12:00:00Z");
export const DAY = "2026-03-10";
export const ALL = { limit: 10_000, offset: 0 };
export const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
/** A number that needs more than 32 bits. */
export const LARGE = 5_000_000_000_000;
/** Text with quotes, a backslash, a wildcard, a line break, several alphabets and a surrogate pair. */
export const TEXT = 'Ørsted "O\'Brien" \\ 100 %_\n東京 🏢 e\u0301';

/** Records the functions of the stores that were called, as `partners.find`. */
export class Called {
  readonly names = new Set<string>();

  /** Returns the stores with calls recorded. */
  of<S extends object>(stores: S): S {
    return new Proxy(stores, {
      get: (all, name) => {
        const value: unknown = Reflect.get(all, name);
        return typeof value === "object" && value !== null ? this.#watched(String(name), value) : value;
      },
    });
  }

  #watched(name: string, store: object) {
    return Object.fromEntries(
      Object.entries(store).map(([method, call]) => [
        method,
        (...args: unknown[]) => {
          this.names.add(`${name}.${method}`);
          return (call as (...args: unknown[]) => unknown).apply(store, args);
        },
      ]),
    );
  }

  /** Returns the functions that were not called. */
  missing(stores: Stores): string[] {
    const all = Object.entries(stores).flatMap(([name, store]) =>
      Object.keys(store).map((method) => `${name}.${method}`),
    );
    return all.filter((name) => !this.names.has(name));
  }
}

/** Returns a store whose calls are recorded. */
export function watched(store: Store, called: Called): Store {
  return {
    ...store,
    read: called.of(store.read),
    inReadSnapshot: (run) => store.inReadSnapshot((read) => run(called.of(read))),
    write: (run, options) => store.write((tx: Tx) => run(called.of(tx)), options),
  };
}

export type TestStore = {
  store: Store;
  time: { now: number };
  addPartner(fields?: Partial<Partner>): Promise<Partner>;
  write<T>(partner: Partner, run: (writer: PortfolioWriter) => Promise<T>): Promise<T>;
  addProperty(partner: Partner, fields?: Partial<NewProperty>, isDemo?: boolean): Promise<Property>;
  addAppliance(
    partner: Partner,
    appliance: Partial<NewAppliance> & { propertyId: string },
  ): Promise<Appliance>;
};

const PROPERTY: NewProperty = {
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
const APPLIANCE: Omit<NewAppliance, "propertyId"> = {
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

/** A partner as it is stored, without credentials and without a receiver. */
export const insertPartner = (store: Store, fields: Partial<Partner> = {}) =>
  store.write(async (tx) => {
    const partner: Partner = {
      id: tx.newId("partner"),
      name: "Acme",
      enabled: true,
      dailyBudget: 1000,
      credentialGeneration: 1,
      createdAt: tx.now,
      costBook: null,
      ...fields,
    };
    await tx.partners.insert(partner);
    return partner;
  });

export async function openTestStore(database: Database, called = new Called()): Promise<TestStore> {
  const time = { now: NOW };
  const store = watched(await database.open({ clock: () => time.now }), called);
  const write = <T>(partner: Partner, run: (writer: PortfolioWriter) => Promise<T>) =>
    writePortfolio<T>(store.write, knowledge, partner, run);
  return {
    store,
    time,
    write,
    addPartner: (fields) => insertPartner(store, fields),
    addProperty: (partner, fields = {}, isDemo = false) =>
      write(partner, (writer) =>
        createPropertyAndQueueWebhook(writer, { ...PROPERTY, ...fields }, { source: "api", isDemo }),
      ),
    addAppliance: (partner, fields) =>
      write(
        partner,
        async (writer) => (await createAppliance(writer, { ...APPLIANCE, ...fields })).appliance,
      ),
  };
}
