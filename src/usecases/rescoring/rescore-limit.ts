import { Failure } from "../../domain/errors.ts";

/**
 * Components that the changes of one transaction rescore, its largest property aside: about a second of processor time, during
 * which other writes wait.
 */
export const MOST_RESCORED = 20_000;

/** Thrown before the scores of a further property are updated in a transaction. */
export class RescoreLimitExceeded extends Failure {
  constructor(most: number) {
    super(
      "payload_too_large",
      `A request updates the scores of at most ${most} components, apart from its largest property: send a smaller request`,
    );
  }
}

/** Limits the components whose scores one transaction updates, where its changes can concern any number of properties. */
export class RescoreLimit {
  #components = 0;
  #largest = 0;
  /** By property: its components, however often they are rescored. */
  readonly #ofProperty = new Map<string, number>();
  /** By property: the components that were reserved and are not rescored yet. */
  readonly #reserved = new Map<string, number>();

  constructor(private readonly most: number = MOST_RESCORED) {}

  /** Reserves all components of a property, once. Throws RescoreLimitExceeded with nothing reserved. */
  reserve(propertyId: string, components: number): void {
    if (this.#reserved.has(propertyId)) return;
    this.#add(propertyId, components);
    this.#reserved.set(propertyId, components);
  }

  /** Counts components that are about to be rescored. Throws RescoreLimitExceeded. */
  count(propertyId: string, components: number): void {
    const reserved = this.#reserved.get(propertyId) ?? 0;
    this.#reserved.delete(propertyId);
    this.#add(propertyId, Math.max(0, components - reserved));
  }

  #add(propertyId: string, more: number): void {
    const own = (this.#ofProperty.get(propertyId) ?? 0) + more;
    const [components, largest] = [this.#components + more, Math.max(this.#largest, own)];
    if (components - largest > this.most) throw new RescoreLimitExceeded(this.most);
    this.#ofProperty.set(propertyId, own);
    [this.#components, this.#largest] = [components, largest];
  }
}
