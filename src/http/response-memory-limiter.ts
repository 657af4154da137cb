import { HttpFailure } from "./http-errors.ts";

/** The memory that the unsent responses and the bodies of unanswered requests of one partner may take together, in bytes. */
const MAX_BYTES_PER_PARTNER = 67_108_864;
/** The most bytes of a small request, such as a sensor's event. */
const SMALL_BYTES = 65_536;
const RETRY_AFTER_S = 5;

/** The memory of the response to a read. */
export type ReadReservation = {
  /** Reserves more bytes. Throws unavailable if the partner's limit is exceeded. */
  grow(bytes: number): void;
  /** Call when the response is sent or aborted. */
  release(): void;
};

/** The memory of a request with a body, and of its response. */
export type WriteReservation = {
  /**
   * Reserves memory before the body is read, for it and then for the response, which is about as large. Throws
   * unavailable if the partner's limit is already exceeded: for a small body, by small ones and their responses.
   */
  reserve(requestBytes: number): void;
  /** Sets the actual size of the body or of the response. Never throws, since it is read or the write is done. */
  settle(bytes: number): void;
  /** Call when the response is sent or aborted. */
  release(): void;
};

/**
 * Limits the memory of each partner's requests and responses until the clients have sent or read them. The oldest
 * response is never rejected, so that a response of any size can be sent; the others share the remaining memory. Small
 * requests share as much memory among themselves: a client that reads slowly does not delay a sensor's events.
 */
export class ResponseMemoryLimiter {
  /** Reserved bytes by partner and reservation, oldest first. */
  readonly #partners = new Map<string, Map<object, number>>();
  /** The reservations of small requests, whose responses may be large. */
  readonly #small = new WeakSet<object>();

  constructor(private readonly maxBytes = MAX_BYTES_PER_PARTNER) {}

  forRead(partnerId: string): ReadReservation {
    const reservation: ReadReservation = {
      grow: (bytes) => this.#grow(partnerId, reservation, bytes),
      release: () => this.#release(partnerId, reservation),
    };
    return reservation;
  }

  forWrite(partnerId: string): WriteReservation {
    const reservation: WriteReservation = {
      reserve: (requestBytes) => {
        const isSmall = requestBytes <= SMALL_BYTES;
        if (this.#total(partnerId, isSmall) > this.maxBytes) throw tooManyLargeResponses();
        if (isSmall) this.#small.add(reservation);
        this.#reservationsOf(partnerId).set(reservation, requestBytes);
      },
      settle: (bytes) => void this.#reservationsOf(partnerId).set(reservation, bytes),
      release: () => this.#release(partnerId, reservation),
    };
    return reservation;
  }

  #grow(partnerId: string, reservation: ReadReservation, bytes: number): void {
    if (bytes === 0) return;
    const reservations = this.#reservationsOf(partnerId);
    reservations.set(reservation, (reservations.get(reservation) ?? 0) + bytes);
    const [oldest] = reservations.keys();
    if (reservation !== oldest && this.#total(partnerId) > this.maxBytes) throw tooManyLargeResponses();
  }

  #reservationsOf(partnerId: string): Map<object, number> {
    const reservations = this.#partners.get(partnerId) ?? new Map<object, number>();
    this.#partners.set(partnerId, reservations);
    return reservations;
  }

  #release(partnerId: string, reservation: object): void {
    const reservations = this.#partners.get(partnerId);
    if (reservations?.delete(reservation) && reservations.size === 0) this.#partners.delete(partnerId);
  }

  /** Returns the sum of a partner's reservations, or of those of small requests alone. */
  #total(partnerId: string, ofSmallOnes = false): number {
    let total = 0;
    for (const [reservation, bytes] of this.#partners.get(partnerId) ?? [])
      if (!ofSmallOnes || this.#small.has(reservation)) total += bytes;
    return total;
  }
}

export const tooManyLargeResponses = () =>
  new HttpFailure(
    "unavailable",
    "Too many large requests or responses in progress. Finish them, then retry.",
    {
      "retry-after": String(RETRY_AFTER_S),
    },
  );
