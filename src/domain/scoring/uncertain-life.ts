/** Nodes above 0 and weights of a five-point Gauss–Hermite quadrature over the standard normal distribution. */
const INNER = { z: 1.35562617997427, weight: 0.222075922005613 };
const OUTER = { z: 2.85697001387281, weight: 0.0112574113277207 };
const MIDDLE_WEIGHT = 8 / 15;

/** The relative change of a step, after which the next one would change no digit that is stated. */
const LAST_STEP = 1e-4;
/** More than any life takes: one mostly, some for the points of a grid. */
const MOST_STEPS = 100;
/** The points of a grid for each unit of hazard, and those of a life. Windows of possible ages end before 10. */
const POINTS_PER_UNIT = 8;
const POINTS = 10 * POINTS_PER_UNIT;
/** The span in which the slope at a point is taken. */
const SLOPE_SPAN = 1e-3;

/**
 * A new life whose length is known within a log-normal error σ. Its survival is the mean over lives that are e^(σz) times as
 * long, whose hazard is e^(−βσz) times as high. So it follows from `spread`, which is βσ, and the cumulative hazard of the life
 * without error.
 */
export class UncertainLife {
  /** The factors on the hazard. */
  readonly #longest: number;
  readonly #long: number;
  readonly #short: number;
  readonly #shortest: number;
  /** The values of `hazardWithoutError` on a grid, and how they rise from one point to the next; NaN until needed. */
  readonly #hazards = new Float64Array(POINTS + 1).fill(Number.NaN);
  readonly #rises = new Float64Array(POINTS + 1);

  constructor(spread: number) {
    this.#longest = Math.exp(-spread * OUTER.z);
    this.#long = Math.exp(-spread * INNER.z);
    this.#short = Math.exp(spread * INNER.z);
    this.#shortest = Math.exp(spread * OUTER.z);
  }

  /** Returns the cumulative hazard, −ln of the mean survival, at that of the life without error. */
  hazardWithError(hazard: number): number {
    return -Math.log(
      OUTER.weight * (Math.exp(-this.#longest * hazard) + Math.exp(-this.#shortest * hazard)) +
        INNER.weight * (Math.exp(-this.#long * hazard) + Math.exp(-this.#short * hazard)) +
        MIDDLE_WEIGHT * Math.exp(-hazard),
    );
  }

  /** Returns the inverse of `hazardWithError`. A cubic between two points of the grid is right to some digits. */
  hazardWithoutError(hazard: number): number {
    const place = hazard * POINTS_PER_UNIT;
    const point = Math.floor(place);
    if (!(point < POINTS)) return this.#solve(hazard, hazard);
    const share = place - point;
    const from = this.#pointAt(point);
    const step = this.#pointAt(point + 1) - from;
    const before = this.#rises[point]! - step;
    const after = step - this.#rises[point + 1]!;
    return this.#solve(hazard, from + share * (step + (1 - share) * (before + share * (after - before))));
  }

  #pointAt(point: number): number {
    const known = this.#hazards[point]!;
    return Number.isNaN(known) ? this.#addPoint(point) : known;
  }

  #addPoint(point: number): number {
    const hazard = this.#solve(point / POINTS_PER_UNIT, 0);
    const slope =
      (this.hazardWithError(hazard + SLOPE_SPAN) - this.hazardWithError(hazard - SLOPE_SPAN)) /
      (2 * SLOPE_SPAN);
    this.#hazards[point] = hazard;
    this.#rises[point] = 1 / (slope * POINTS_PER_UNIT);
    return hazard;
  }

  /** Returns the inverse of `hazardWithError`, by steps from an estimate. */
  #solve(target: number, estimate: number): number {
    let hazard = estimate;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      // Written out: half of the time of a loop.
      const longest = OUTER.weight * Math.exp(-this.#longest * hazard);
      const long = INNER.weight * Math.exp(-this.#long * hazard);
      const middle = MIDDLE_WEIGHT * Math.exp(-hazard);
      const short = INNER.weight * Math.exp(-this.#short * hazard);
      const shortest = OUTER.weight * Math.exp(-this.#shortest * hazard);
      const survival = longest + long + middle + short + shortest;
      const fallOfLongest = this.#longest * longest;
      const fallOfLong = this.#long * long;
      const fallOfShort = this.#short * short;
      const fallOfShortest = this.#shortest * shortest;
      const fall = (fallOfLongest + fallOfLong + middle + fallOfShort + fallOfShortest) / survival;
      const bend =
        (this.#longest * fallOfLongest +
          this.#long * fallOfLong +
          middle +
          this.#short * fallOfShort +
          this.#shortest * fallOfShortest) /
        survival;
      const step = stepToSurvival(target + Math.log(survival), fall, bend);
      hazard += step;
      if (Math.abs(step) <= LAST_STEP * hazard) break;
    }
    return hazard;
  }
}

/**
 * Returns Halley's step to the hazard at which the survival is lower by a factor, whose logarithm is `-excess`; Newton's where the
 * other one is not defined, which never leads past the solution. `fall` and `bend` are the means of the factors that still work,
 * and of their squares.
 */
function stepToSurvival(excess: number, fall: number, bend: number): number {
  const variance = bend - fall * fall;
  const slope = 2 * fall * fall - excess * variance;
  return slope > fall * fall ? (2 * excess * fall) / slope : excess / fall;
}

/** Lives kept: more than there are shapes in the knowledge base, with two errors each. */
const MOST_KEPT = 200;
const kept = new Map<number, UncertainLife>();

/** Returns the life whose hazard is known within an error with this spread, βσ. */
export function uncertainLife(spread: number): UncertainLife {
  return kept.get(spread) ?? keep(spread);
}

function keep(spread: number): UncertainLife {
  if (kept.size === MOST_KEPT) kept.clear();
  const life = new UncertainLife(spread);
  kept.set(spread, life);
  return life;
}
