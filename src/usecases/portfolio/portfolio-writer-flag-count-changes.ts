import type { Appliance } from "../../domain/appliance.ts";
import { countHazardFlags, type FlagCount } from "../../domain/hazards/hazard-flags.ts";
import type { Tx } from "../../store/store.ts";

/** Collects the changes of the counts of flagged appliances, and stores each once. */
export class PortfolioWriterFlagCountChanges {
  /** The changes by property, then by code. */
  readonly #changes = new Map<string, Map<string, FlagCount>>();

  /** Adds an appliance to the counts of flags (`sign` 1), or takes it out of them (-1). */
  count({ propertyId, flags }: Pick<Appliance, "propertyId" | "flags">, sign: 1 | -1): void {
    if (flags === "") return;
    const counts = this.#changes.get(propertyId) ?? new Map<string, FlagCount>();
    this.#changes.set(propertyId, counts);
    countHazardFlags(counts, flags, sign);
  }

  /** Adds the changes to the counts of the properties and of the portfolio. */
  async store(tx: Tx, partnerId: string): Promise<void> {
    if (this.#changes.size === 0) return;
    const whole = new Map<string, FlagCount & { properties: number }>();
    for (const [propertyId, changes] of this.#changes) {
      const before = await tx.flags.ofProperty(partnerId, propertyId);
      for (const [code, change] of changes) {
        if (change.known === 0 && change.suspected === 0) continue;
        const had = before.find((count) => count.code === code) ?? { known: 0, suspected: 0 };
        const left = had.known + had.suspected + change.known + change.suspected;
        const properties = Number(left > 0) - Number(had.known + had.suspected > 0);
        await tx.flags.add(partnerId, propertyId, { code, ...change, properties });
        const sum = whole.get(code) ?? { known: 0, suspected: 0, properties: 0 };
        whole.set(code, {
          known: sum.known + change.known,
          suspected: sum.suspected + change.suspected,
          properties: sum.properties + properties,
        });
      }
    }
    for (const [code, change] of whole) await tx.flags.add(partnerId, null, { code, ...change });
  }
}
