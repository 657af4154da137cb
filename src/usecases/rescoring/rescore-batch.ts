import type { Appliance } from "../../domain/appliance.ts";
import type { Property } from "../../domain/property.ts";
import type { PortfolioWriter } from "../portfolio/portfolio-writer.ts";
import { type RescoreInput, rescoreProperties, rescoreProperty } from "./rescore.ts";

type Pending = { property: Property; appliances: Map<string, Appliance>; isWhole: boolean };

/** Collects what a batch of changes has to score, so that `finish` scores each property once however many there are. */
export class BatchScores {
  readonly #pending = new Map<string, Pending>();

  constructor(private readonly writer: PortfolioWriter) {}

  /** Adds a changed appliance. */
  add(property: Property, appliance: Appliance): void {
    this.#of(property).appliances.set(appliance.id, appliance);
  }

  /** Adds all appliances of a property. */
  addWhole(property: Property): void {
    this.#of(property).isWhole = true;
  }

  /** Scores an appliance that is about to leave the lists, if it was added: it keeps that score. */
  async settle(property: Property, { id }: Appliance): Promise<void> {
    const { appliances } = this.#of(property);
    const changed = appliances.get(id);
    if (!changed) return;
    appliances.delete(id);
    await rescoreProperty(this.writer, property, [changed], "history");
  }

  /** Scores everything that was added. */
  async finish(): Promise<void> {
    const rescorings = [...this.#pending.values()].map(
      ({ property, appliances, isWhole }): RescoreInput => ({
        property,
        changed: isWhole ? "all" : [...appliances.values()],
        cause: "history",
      }),
    );
    this.#pending.clear();
    await rescoreProperties(
      this.writer,
      rescorings.filter(({ changed }) => changed.length > 0),
    );
  }

  #of(property: Property): Pending {
    const known = this.#pending.get(property.id);
    if (known) return known;
    const added: Pending = { property, appliances: new Map(), isWhole: false };
    this.#pending.set(property.id, added);
    return added;
  }
}
