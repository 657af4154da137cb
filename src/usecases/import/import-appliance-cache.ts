import type { Appliance } from "../../domain/appliance.ts";
import { isRetired } from "../../domain/rules/retirement-rule.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";

/** The most appliances loaded ahead; beyond that each row loads its own. */
const MAX_PRELOADED = 500;
/** Appliances of a property per query. */
const STEP = 500;

/** True if loading ahead is still worthwhile; shared by the batches of a file. */
export type Preloading = { pays: boolean };

/** The appliances of the properties that rows refer to, loaded ahead, and those added by the rows. */
export class ApplianceCache {
  readonly #ofProperty = new Map<string, Appliance[]>();
  readonly #byId = new Map<string, Appliance>();

  constructor(
    private readonly writer: Pick<PortfolioWriter, "tx" | "partner">,
    private readonly reading: Preloading,
  ) {}

  async preloadOfProperties(propertyIds: Iterable<string>): Promise<void> {
    const ids = [...new Set(propertyIds)].filter((id) => !this.#ofProperty.has(id));
    if (!this.reading.pays || ids.length === 0) return;
    const found = await this.writer.tx.appliances.ofProperties(ids, MAX_PRELOADED);
    this.reading.pays = found !== undefined;
    if (!found) return;
    for (const id of ids) this.#ofProperty.set(id, []);
    for (const appliance of found.sort((one, other) => Math.abs(one.seq) - Math.abs(other.seq)))
      this.set(appliance);
  }

  async preloadByIds(given: Iterable<string>): Promise<void> {
    const ids = [...new Set(given)].filter((id) => !this.#byId.has(id));
    const { tx, partner } = this.writer;
    for (const appliance of await tx.appliances.ofIds(partner.id, ids))
      this.#byId.set(appliance.id, appliance);
  }

  /** Adds an appliance that was created or changed. */
  set(appliance: Appliance): void {
    this.#byId.set(appliance.id, appliance);
    const others = this.#ofProperty.get(appliance.propertyId);
    const at = others?.findIndex(({ id }) => id === appliance.id) ?? -1;
    if (at >= 0) others![at] = appliance;
    else others?.push(appliance);
  }

  /** Finds among the loaded appliances. */
  find(id: string): Appliance | undefined {
    return this.#byId.get(id);
  }

  /**
   * Returns a property's appliances with that serial, oldest first, two at most: two mean that the serial is
   * ambiguous. Retired ones are returned only if there are no others.
   */
  async withSerial(propertyId: string, serial: string): Promise<Appliance[]> {
    const known = this.#ofProperty.get(propertyId)?.filter((appliance) => appliance.serial === serial);
    if (!known) return await this.writer.tx.appliances.withSerial(propertyId, serial);
    const listed = known.filter((appliance) => !isRetired(appliance));
    return (listed.length > 0 ? listed : known).slice(0, 2);
  }

  /** Yields all of a property's appliances in pages, retired ones last. */
  async *ofProperty(propertyId: string): AsyncGenerator<readonly Appliance[]> {
    const known = this.#ofProperty.get(propertyId);
    if (known) return yield known;
    const { tx } = this.writer;
    for (let after = 0; ; await tx.yieldToEventLoop()) {
      const some = await tx.appliances.ofPropertyAfter(propertyId, after, STEP);
      yield some;
      if (some.length < STEP) break;
      after = some.at(-1)!.seq;
    }
    for (let after = 0; ; await tx.yieldToEventLoop()) {
      const some = await tx.appliances.retiredOfPropertyAfter(propertyId, after, STEP);
      yield some;
      if (some.length < STEP) return;
      after = some.at(-1)!.seq;
    }
  }
}
