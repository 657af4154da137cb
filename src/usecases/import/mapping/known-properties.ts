import { streetKey } from "../../../domain/address.ts";
import type { Yield } from "../../../event-loop.ts";
import type { MatchedProperty } from "../../../store/queries/properties.ts";
import type { Stores } from "../../../store/stores.ts";

/** A property in prepared rows: the columns that refer to it, and its reference if it is new. */
type PropertyKey = {
  reference: string;
  columns: Readonly<Record<string, string>>;
  /** Its ID, if it exists. */
  id: string | undefined;
  /** The number of its units, if it is known. */
  units: number | undefined;
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

/** Two properties with a street address or a name make it ambiguous. */
const ENOUGH = 2;
const APPLIANCES_A_STEP = 500;

/** Finds the properties that rows mean, by reference, address or name, and labels their equipment. */
export class KnownProperties {
  /** By reference: the properties of this run, and those that were looked up. */
  readonly #byReference = new Map<string, PropertyKey>();
  /** The references by street address and by name; null where several properties have it. */
  readonly #byStreet = new Map<string, string | null>();
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

  /** Returns the property of a row that creates it unless it exists. `isNamed`: its reference may be a name instead. */
  async register(fields: Fields, isNamed = false): Promise<PropertyKey> {
    const given = fields.partner_property_id;
    if (given === undefined) {
      const found = await this.#matched(fields);
      if (found) return found;
    } else if (isNamed) {
      const found = await this.#named(given, fields);
      if (found) return found;
    }
    const reference = given ?? (fields.address === undefined ? "" : streetKey(fields.address).slice(0, 100));
    const property = await this.#ofReference(reference);
    if (/^\d{1,6}$/.test(fields.unit_count ?? "")) property.units ??= Number(fields.unit_count);
    this.#index(reference, fields.address, fields.name);
    return property;
  }

  /** Returns the property of a row of another kind. The importer rejects the row if there is none. */
  async find(fields: Fields, isNamed = false): Promise<PropertyKey> {
    const { partner_property_id: reference, property_id: id } = fields;
    if (id !== undefined) {
      const own = await this.read.properties.find(this.partnerId, id);
      return { reference: "", columns: { property_id: id }, id: own?.id, units: own?.unitCount };
    }
    if (reference !== undefined)
      return (
        (isNamed ? await this.#named(reference, fields) : undefined) ?? (await this.#ofReference(reference))
      );
    return (await this.#matched(fields)) ?? unknown(fields.address ?? fields.name ?? "");
  }

  /** Returns the labels that a number of appliances of a type still lacks in a property. */
  async missing(property: PropertyKey, typeId: string): Promise<(count: number) => readonly string[]> {
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
    property: PropertyKey,
    typeId: string,
  ): Promise<{ found: readonly Label[]; created?: { serial: string } }> {
    const there = ofType(await this.#equipmentOf(property), typeId);
    if (there.labels.length > 0) return { found: there.labels };
    const created = { serial: `${typeId}-1` };
    there.add(created);
    return { found: there.labels, created };
  }

  async #equipmentOf({ reference, id }: PropertyKey): Promise<Map<string, Equipment>> {
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

  async #ofReference(reference: string): Promise<PropertyKey> {
    const kept = this.#byReference.get(reference);
    if (kept) return kept;
    const stored =
      reference === "" ? undefined : await this.read.properties.findByReference(this.partnerId, reference);
    const property: PropertyKey = {
      ...{ reference, columns: { partner_property_id: reference } },
      ...{ id: stored?.id, units: stored?.unitCount },
    };
    this.#byReference.set(reference, property);
    return property;
  }

  /** Returns the property that has the reference, or else the name. */
  async #named(reference: string, { name }: Fields): Promise<PropertyKey | undefined> {
    const kept = this.#byReference.get(reference);
    if (kept) return kept;
    if (await this.read.properties.findByReference(this.partnerId, reference)) return undefined;
    return await this.#matched({ name });
  }

  async #matched({ address, name }: Fields): Promise<PropertyKey | undefined> {
    const reference =
      (address === undefined ? undefined : await this.#onStreet(streetKey(address))) ??
      (name === undefined ? undefined : await this.#ofName(name));
    return reference == null ? undefined : await this.#ofReference(reference);
  }

  async #onStreet(street: string): Promise<string | null | undefined> {
    if (!this.#streetsRead.has(street)) {
      this.#streetsRead.add(street);
      for (const one of await this.read.properties.onStreet(this.partnerId, street, ENOUGH))
        put(this.#byStreet, street, this.#stored(one));
    }
    return this.#byStreet.get(street);
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
  #stored({ id, partnerPropertyId, unitCount: units }: MatchedProperty): string {
    const reference = partnerPropertyId ?? id;
    const columns: Record<string, string> =
      partnerPropertyId === null ? { property_id: id } : { partner_property_id: partnerPropertyId };
    this.#byReference.set(reference, { reference, columns, id, units });
    return reference;
  }

  #index(reference: string, address: string | undefined, name: string | undefined): void {
    if (address !== undefined) put(this.#byStreet, streetKey(address), reference);
    if (name !== undefined) put(this.#byName, name.toLowerCase(), reference);
  }
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

const unknown = (text: string): PropertyKey => ({
  reference: text,
  columns: { partner_property_id: text.slice(0, 200) },
  ...{ id: undefined, units: undefined },
});
