import type { Appliance } from "../../domain/appliance.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";

/** Appliances read ahead at a time. Where the properties of some rows have more, each row looks for its own. */
const MOST = 500;
/** Of a property's that are all looked at, so many are read in one step. */
const STEP = 500;

/** Whether reading ahead still pays: shared by the batches of a file. */
export type ReadingAhead = { pays: boolean };

/** The appliances of the properties that rows name, read some rows ahead, with those that the rows have added. */
export class KnownAppliances {
  readonly #ofProperty = new Map<string, Appliance[]>();
  readonly #byId = new Map<string, Appliance>();

  constructor(
    private readonly writer: Pick<PortfolioWriter, "tx" | "partner">,
    private readonly reading: ReadingAhead,
  ) {}

  async foreseeOfProperties(propertyIds: Iterable<string>): Promise<void> {
    const ids = [...new Set(propertyIds)].filter((id) => !this.#ofProperty.has(id));
    if (!this.reading.pays || ids.length === 0) return;
    const found = await this.writer.tx.appliances.ofProperties(ids, MOST);
    this.reading.pays = found !== undefined;
    if (!found) return;
    for (const id of ids) this.#ofProperty.set(id, []);
    for (const appliance of found.sort((one, other) => one.seq - other.seq)) this.set(appliance);
  }

  async foreseeByIds(given: Iterable<string>): Promise<void> {
    const ids = [...new Set(given)].filter((id) => !this.#byId.has(id));
    const { tx, partner } = this.writer;
    for (const appliance of await tx.appliances.ofIds(partner.id, ids))
      this.#byId.set(appliance.id, appliance);
  }

  /** Takes in one that was added or changed. */
  set(appliance: Appliance): void {
    this.#byId.set(appliance.id, appliance);
    const others = this.#ofProperty.get(appliance.propertyId);
    const at = others?.findIndex(({ id }) => id === appliance.id) ?? -1;
    if (at >= 0) others![at] = appliance;
    else others?.push(appliance);
  }

  /** Of what was foreseen. */
  find(id: string): Appliance | undefined {
    return this.#byId.get(id);
  }

  /** A property's of that serial, the oldest first: two at most, which tell that it names none. */
  async withSerial(propertyId: string, serial: string): Promise<Appliance[]> {
    const known = this.#ofProperty.get(propertyId)?.filter((one) => one.serial === serial);
    return known?.slice(0, 2) ?? (await this.writer.tx.appliances.withSerial(propertyId, serial));
  }

  /** All of a property's, some at a time. */
  async *ofProperty(propertyId: string): AsyncGenerator<readonly Appliance[]> {
    const known = this.#ofProperty.get(propertyId);
    if (known) return yield known;
    const { tx } = this.writer;
    for (let after = 0; ; await tx.yieldToEventLoop()) {
      const some = await tx.appliances.ofPropertyAfter(propertyId, after, STEP);
      yield some;
      if (some.length < STEP) return;
      after = some.at(-1)!.seq;
    }
  }
}
