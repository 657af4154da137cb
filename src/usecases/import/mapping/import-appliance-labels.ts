import { EqualRowCounts, importEqualRowKey } from "../import-equal-row-counts.ts";

/** The labels of a property's appliances that have no serial of their own. The same rows make the same labels again. */
export class ImportApplianceLabels {
  /** `uses` counts how often each label was asked for, also by earlier rows of the file. `property` identifies the property. */
  constructor(
    private readonly property: string,
    private readonly uses = EqualRowCounts.none(),
  ) {}

  isTaken(label: string): boolean {
    return this.uses.of(this.#key(label)) > 0;
  }

  /** Returns the label, or one with a number behind it if another appliance has it. */
  take(label: string): string {
    const key = this.#key(label);
    for (;;) {
      const use = this.uses.of(key) + 1;
      this.uses.set(key, use);
      if (use === 1) return label;
      const own = `${label}-${use}`;
      if (this.isTaken(own)) continue;
      this.uses.set(this.#key(own), 1);
      return own;
    }
  }

  #key(label: string): string {
    return importEqualRowKey("label", this.property, label);
  }
}
