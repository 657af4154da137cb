import { UNITED_STATES } from "../../../domain/places/place.ts";
import { normalizedPostalStreet } from "../../../domain/places/postal-address.ts";
import { propertyReferenceByRule } from "../../../domain/rules/property-reference-rule.ts";
import type { Yield } from "../../../event-loop/event-loop.ts";
import type { MatchedProperty } from "../../../store/queries/properties-queries.ts";
import type { Stores } from "../../../store/stores.ts";

/** A property in prepared rows: the columns that refer to it, and its reference if it is new. */
export type ImportPropertyKey = {
  reference: string;
  columns: Readonly<Record<string, string>>;
  /** Its ID, if it exists. */
  id: string | undefined;
  /** The number of its units, if it is known. */
  units: number | undefined;
  /** Its name, if it exists. */
  name?: string | undefined;
  /** True once a row that makes it was seen. */
  isMade?: boolean;
};

type Fields = Readonly<Record<string, string | undefined>>;
type Label = { serial: string } | { appliance_id: string };

/** The equipment of a type in a property. */
class Equipment {
  readonly labels: Label[] = [];
  readonly #serials = new Set<string>();

  add(label: Label): void {
    this.labels.push(label);
    if ("serial" in label) this.#serials.add(label.serial);
  }

  has(serial: string): boolean {
    return this.#serials.has(serial);
  }
}

/** A property with a street address, and what tells it from those of the same street in other places. */
type Placed = {
  reference: string;
  state: string | undefined;
  city: string | undefined;
  zip: string | undefined;
  /** In lower case: the name that it has, and those that rows give it. */
  names: Set<string>;
};

type Place = Pick<Placed, "state" | "city" | "zip">;

/** Two properties with a name make it ambiguous. */
const ENOUGH = 2;
/** The most properties of one street address that are compared with a row. */
const MOST_ON_STREET = 50;
const APPLIANCES_A_STEP = 500;

/** Finds the properties that rows mean, by reference, address or name, and labels their equipment. */
export class ImportKnownProperties {
  /** By reference: the properties of this run, and those that were looked up. */
  readonly #byReference = new Map<string, ImportPropertyKey>();
  readonly #byId = new Map<string, ImportPropertyKey>();
  /** The properties by street address, and the references by name; null where several properties have it. */
  readonly #byStreet = new Map<string, Placed[]>();
  readonly #byName = new Map<string, string | null>();
  /** By reference and type: the equipment that exists or is prepared. */
  readonly #equipment = new Map<string, Map<string, Equipment>>();
  readonly #streetsRead = new Set<string>();
  readonly #namesRead = new Set<string>();

  constructor(
    private readonly read: Stores,
    private readonly partnerId: string,
    private readonly yieldNow: Yield,
  ) {}

  /**
   * Registers the properties of all rows before any is prepared, so that the order of rows does not matter and a repetition
   * finds what the first import found: those with a reference first, then addresses, those that say more of their place first.
   */
  async registerAll(rows: AsyncIterable<Fields>): Promise<void> {
    const addresses = new Map<string, Fields>();
    for await (const fields of rows) {
      if (fields.property_id !== undefined) continue;
      if (fields.partner_property_id !== undefined) await this.register(fields);
      else if (fields.address !== undefined) {
        const reference = ownReference(fields, fields.address);
        if (!addresses.has(reference)) addresses.set(reference, fields);
      }
    }
    const byParts = Map.groupBy(addresses, ([, fields]) => statedParts(fields));
    for (const parts of [3, 2, 1, 0])
      for (const [, fields] of (byParts.get(parts) ?? []).toSorted(([one], [other]) =>
        one < other ? -1 : 1,
      )) {
        await this.yieldNow();
        await this.register(fields);
      }
  }

  /**
   * Returns the property of a row that creates it unless it exists; SEVERAL for a row without a reference that may mean any
   * of several. `isNamed`: its reference may be a name instead.
   */
  async register(fields: Fields, isNamed = false): Promise<ImportPropertyKey> {
    if (fields.property_id !== undefined) return await this.#ofId(fields.property_id);
    const given = fields.partner_property_id;
    if (given === undefined) {
      const found = await this.#matched(fields);
      if (found) return found;
    } else if (isNamed) {
      const found = await this.#named(given, fields);
      if (found) return found;
    }
    const place = placedAt(fields);
    const reference = given ?? (fields.address === undefined ? "" : ownReference(fields, fields.address));
    const property = await this.#ofReference(reference);
    if (fields.address !== undefined)
      this.#index(normalizedPostalStreet(fields.address), { ...place, reference, names: namesOf(fields) });
    if (fields.name !== undefined) put(this.#byName, fields.name.toLowerCase(), reference);
    return property;
  }

  /** Notes the number of units that a row gives a property for which none is known. */
  noteUnits(property: ImportPropertyKey, { unit_count = "" }: Fields): void {
    if (/^\d{1,6}$/.test(unit_count)) property.units ??= Number(unit_count);
  }

  /**
   * Returns whether the property of a row exists, or is made by it or by a row before; false where a later row makes it, whose
   * place it has.
   */
  isMadeBy(fields: Fields, property: ImportPropertyKey): boolean {
    const { address, partner_property_id: given } = fields;
    property.isMade ||=
      given !== undefined || address === undefined || ownReference(fields, address) === property.reference;
    return property.isMade || property.id !== undefined || property === SEVERAL;
  }

  /** Returns the property of a row of another kind. The importer rejects the row if there is none. */
  async find(fields: Fields, isNamed = false): Promise<ImportPropertyKey> {
    const { partner_property_id: reference, property_id: id } = fields;
    if (id !== undefined) return await this.#ofId(id);
    if (reference !== undefined)
      return (
        (isNamed ? await this.#named(reference, fields) : undefined) ?? (await this.#ofReference(reference))
      );
    const found = await this.#matched(fields);
    return found && found !== SEVERAL ? found : unknown(fields.address ?? fields.name ?? "");
  }

  /** Returns the labels that a number of appliances of a type still lacks in a property. */
  async missing(property: ImportPropertyKey, typeId: string): Promise<(count: number) => readonly string[]> {
    const there = ofType(await this.#equipmentOf(property), typeId);
    return (count) => {
      const labels = Array.from({ length: count }, (_, i) => `${typeId}-${i + 1}`);
      const stated = labels.filter((label) => there.has(label));
      const lacking = labels
        .filter((label) => !there.has(label))
        .slice(0, Math.max(0, count - there.labels.length));
      for (const serial of lacking) there.add({ serial });
      // Those that this importer has labeled before are stated again, so that their fields can be updated.
      return stated.concat(lacking);
    };
  }

  /** Returns the appliances of a type, and one to create where a visit proves that there is one. */
  async appliancesOf(
    property: ImportPropertyKey,
    typeId: string,
  ): Promise<{ found: readonly Label[]; created?: { serial: string } }> {
    const there = ofType(await this.#equipmentOf(property), typeId);
    if (there.labels.length > 0) return { found: there.labels };
    const created = { serial: `${typeId}-1` };
    there.add(created);
    return { found: there.labels, created };
  }

  async #equipmentOf({ reference, id }: ImportPropertyKey): Promise<Map<string, Equipment>> {
    if (id === undefined && reference === "") return new Map();
    const key = id ?? reference;
    const kept = this.#equipment.get(key);
    if (kept) return kept;
    const found = new Map<string, Equipment>();
    this.#equipment.set(key, found);
    if (id === undefined) return found;
    for (let after = 0; ; ) {
      const some = await this.read.appliances.ofPropertyAfter(id, after, APPLIANCES_A_STEP);
      for (const { typeId, serial, id: appliance_id } of some)
        ofType(found, typeId).add(serial === null ? { appliance_id } : { serial });
      if (some.length < APPLIANCES_A_STEP) return found;
      await this.yieldNow();
      after = some.at(-1)!.seq;
    }
  }

  async #ofId(id: string): Promise<ImportPropertyKey> {
    const kept = this.#byId.get(id);
    if (kept) return kept;
    const own = await this.read.properties.find(this.partnerId, id);
    const property: ImportPropertyKey = {
      reference: "",
      columns: { property_id: id },
      id: own?.id,
      units: own?.unitCount,
      name: own?.name,
    };
    this.#byId.set(id, property);
    return property;
  }

  async #ofReference(reference: string): Promise<ImportPropertyKey> {
    const kept = this.#byReference.get(reference);
    if (kept) return kept;
    const stored =
      reference === "" ? undefined : await this.read.properties.findByReference(this.partnerId, reference);
    const property: ImportPropertyKey = {
      reference,
      columns: { partner_property_id: reference },
      id: stored?.id,
      units: stored?.unitCount,
      name: stored?.name,
    };
    this.#byReference.set(reference, property);
    return property;
  }

  /** Returns the property that has the reference, or else the name. */
  async #named(reference: string, { name }: Fields): Promise<ImportPropertyKey | undefined> {
    const kept = this.#byReference.get(reference);
    if (kept) return kept;
    if (await this.read.properties.findByReference(this.partnerId, reference)) return undefined;
    return await this.#matched({ name });
  }

  /**
   * Returns the property with the address, and the one with the name where the row has no address. Among several with the
   * address, it is the one with the name; where the row has no name, or several have it, the one that was made of this very
   * address.
   */
  async #matched(fields: Fields): Promise<ImportPropertyKey | undefined> {
    const { address, name } = fields;
    if (address === undefined) {
      const named = name === undefined ? undefined : await this.#ofName(name);
      return named ? await this.#ofReference(named) : undefined;
    }
    const place = placedAt(fields);
    const there = (await this.#onStreet(normalizedPostalStreet(address))).filter((one) =>
      mayBeSame(one, place),
    );
    if (there.length === 0) return undefined;
    const hasName = ({ names }: Placed) => name === undefined || names.has(name.toLowerCase());
    const meant = there.length === 1 ? there : there.filter(hasName);
    const own = ownReference(fields, address);
    const one = meant.length === 1 ? meant[0] : meant.find(({ reference }) => reference === own);
    return one ? await this.#ofReference(one.reference) : SEVERAL;
  }

  async #onStreet(street: string): Promise<readonly Placed[]> {
    if (!this.#streetsRead.has(street)) {
      this.#streetsRead.add(street);
      for (const one of await this.read.properties.onStreet(this.partnerId, street, MOST_ON_STREET))
        this.#index(street, {
          reference: this.#stored(one),
          state: one.state,
          city: one.city?.trim().toLowerCase(),
          zip: one.zip?.slice(0, 5),
          names: namesOf(one),
        });
    }
    return this.#byStreet.get(street) ?? [];
  }

  #index(street: string, placed: Placed): void {
    const there = this.#byStreet.get(street) ?? [];
    this.#byStreet.set(street, there);
    const known = there.find(({ reference }) => reference === placed.reference);
    for (const name of known ? placed.names : []) known!.names.add(name);
    if (!known && there.length < 2 * MOST_ON_STREET) there.push(placed);
  }

  async #ofName(name: string): Promise<string | null | undefined> {
    const key = name.toLowerCase();
    if (!this.#namesRead.has(key)) {
      this.#namesRead.add(key);
      for (const one of await this.read.properties.ofName(this.partnerId, name, ENOUGH))
        put(this.#byName, key, this.#stored(one));
    }
    return this.#byName.get(key);
  }

  /** Returns the reference of a stored property; its ID if it has none, by which rows then refer to it. */
  #stored({ id, partnerPropertyId, unitCount: units, name }: MatchedProperty): string {
    const reference = partnerPropertyId ?? id;
    const columns: Record<string, string> =
      partnerPropertyId === null ? { property_id: id } : { partner_property_id: partnerPropertyId };
    this.#byReference.set(reference, { reference, columns, id, units, name });
    return reference;
  }
}

/** Returns the name of a row or property, to be compared. */
const namesOf = ({ name }: { name?: string | undefined }) =>
  new Set(name === undefined ? [] : [name.toLowerCase()]);

/** Returns the place of a row, as properties have it. */
function placedAt({ country = UNITED_STATES, state, city, zip }: Fields): Place {
  const [nation, own] = [country, state].map((text) => text?.trim().toUpperCase());
  const isAbroad = own !== undefined && nation !== UNITED_STATES && !own.startsWith(`${nation}-`);
  return {
    state: isAbroad ? `${nation}-${own}` : own,
    city: city?.trim().toLowerCase(),
    zip: zip?.trim().slice(0, 5),
  };
}

/** Returns whether two addresses of the same street can be one: nothing that both state differs. */
function mayBeSame(a: Place, b: Place): boolean {
  const isEqual = (x: string | undefined, y: string | undefined) =>
    x === undefined || y === undefined ? undefined : x === y;
  if (isEqual(a.state, b.state) === false) return false;
  return isEqual(a.city, b.city) ?? isEqual(a.zip, b.zip) ?? true;
}

/** Notes a property for a key, and null for the key of several. */
function put(index: Map<string, string | null>, key: string, reference: string): void {
  const other = index.get(key);
  index.set(key, other === undefined || other === reference ? reference : null);
}

function ofType(known: Map<string, Equipment>, typeId: string): Equipment {
  const there = known.get(typeId) ?? new Equipment();
  known.set(typeId, there);
  return there;
}

/** Stands for any of several properties of an address: the importer rejects a row without a reference. */
export const SEVERAL: ImportPropertyKey = { reference: "", columns: {}, id: undefined, units: undefined };

/** Returns the reference of a property that a row without one creates. */
const ownReference = (fields: Fields, address: string): string =>
  propertyReferenceByRule({ ...placedAt(fields), address });

/** Returns how many of the three parts of its place an address states. */
function statedParts(fields: Fields): number {
  const { state, city, zip } = placedAt(fields);
  return [state, city, zip].filter((part) => part !== undefined).length;
}

const unknown = (text: string): ImportPropertyKey => ({
  reference: text,
  columns: { partner_property_id: text.slice(0, 200) },
  id: undefined,
  units: undefined,
});
