/** The labels of a property's appliances that have no serial of their own. The same rows make the same labels again. */
export class ImportApplianceLabels {
  /** How often each label was asked for. */
  readonly #uses = new Map<string, number>();

  isTaken(label: string): boolean {
    return this.#uses.has(label);
  }

  /** Returns the label, or one with a number behind it if another appliance has it. */
  take(label: string): string {
    for (;;) {
      const use = (this.#uses.get(label) ?? 0) + 1;
      this.#uses.set(label, use);
      if (use === 1) return label;
      const own = `${label}-${use}`;
      if (this.isTaken(own)) continue;
      this.#uses.set(own, 1);
      return own;
    }
  }
}
