/*
 * Given a year's factor, the sums over components are sums of w·g(λ): a weight times a smooth function of the hazard. A
 * grid holds Σ w on the points of λ, each weight spread over the six nearest so that polynomials of degree five are exact
 * (Lagrange). A sum is then evaluated once for each point instead of once for each component.
 */

/** Points are evenly spaced in ln(1 + λ). */
const POINTS_PER_UNIT = 32;
/** The hazards beyond which failure is certain for every factor that matters; such hazards are treated as this. */
const HIGHEST = Math.expm1(44);
export const STENCIL = 6;
/** Points before the hazard 0, so that a small hazard, too, lies in the middle of its six points. */
const BEFORE = STENCIL / 2 - 1;
export const GRID_POINTS = 44 * POINTS_PER_UNIT + BEFORE + 8;

/** Returns the hazard of a grid point; the first are below 0. */
export const hazardAtGridPoint = (point: number) => Math.expm1((point - BEFORE) / POINTS_PER_UNIT);

/** The weights of the six points from `first`, reused for every hazard. */
export class GridStencil {
  first = 0;
  readonly weights = new Float64Array(STENCIL);

  locate(hazard: number): void {
    const place = Math.log1p(Math.min(hazard, HIGHEST)) * POINTS_PER_UNIT;
    this.first = Math.floor(place);
    const s = place - this.first + BEFORE;
    const [a, b, c, d, e, f] = [s, s - 1, s - 2, s - 3, s - 4, s - 5];
    const { weights } = this;
    weights[0] = (-b * c * d * e * f) / 120;
    weights[1] = (a * c * d * e * f) / 24;
    weights[2] = (-a * b * d * e * f) / 12;
    weights[3] = (a * b * c * e * f) / 12;
    weights[4] = (-a * b * c * d * f) / 24;
    weights[5] = (a * b * c * d * e) / 120;
  }

  /** Returns the function at the located hazard from its values at the grid points. */
  interpolate(values: Float64Array): number {
    let sum = 0;
    for (let k = 0; k < STENCIL; k++) sum += this.weights[k]! * values[this.first + k]!;
    return sum;
  }
}
