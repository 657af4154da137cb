/*
 * The discrete Fourier transform of monthly values. It turns the sum over all months of installation into a product, so that
 * the costs of a worn part's successors take a tenth of the time (convolution theorem).
 */

/** At least twice as long as the months that decisions look ahead, so that nothing wraps around. */
const SIZE = 1024;
const HALF = SIZE / 2;
const BITS = Math.log2(SIZE);

const cosines = Float64Array.from({ length: HALF }, (_, k) => Math.cos((2 * Math.PI * k) / SIZE));
const sines = Float64Array.from({ length: HALF }, (_, k) => -Math.sin((2 * Math.PI * k) / SIZE));
const reversed = Uint16Array.from({ length: SIZE }, (_, index) => {
  let bits = 0;
  for (let bit = 0; bit < BITS; bit++) if (index & (1 << bit)) bits |= 1 << (BITS - 1 - bit);
  return bits;
});

/** The transform of a real sequence: its first half, which determines the rest. */
export type Spectrum = { re: Float64Array; im: Float64Array };

const emptySpectrum = (): Spectrum => ({
  re: new Float64Array(HALF + 1),
  im: new Float64Array(HALF + 1),
});

/** Transforms in place by decimation in time (Cooley and Tukey 1965). */
function transform(re: Float64Array, im: Float64Array): void {
  for (let index = 0; index < SIZE; index++) {
    const other = reversed[index]!;
    if (other <= index) continue;
    const real = re[index]!;
    const imaginary = im[index]!;
    re[index] = re[other]!;
    im[index] = im[other]!;
    re[other] = real;
    im[other] = imaginary;
  }
  for (let width = 1; width < SIZE; width *= 2) {
    const stride = HALF / width;
    for (let from = 0; from < SIZE; from += 2 * width)
      for (let offset = 0; offset < width; offset++) {
        const cosine = cosines[offset * stride]!;
        const sine = sines[offset * stride]!;
        const low = from + offset;
        const high = low + width;
        const real = re[high]! * cosine - im[high]! * sine;
        const imaginary = re[high]! * sine + im[high]! * cosine;
        re[high] = re[low]! - real;
        im[high] = im[low]! - imaginary;
        re[low]! += real;
        im[low]! += imaginary;
      }
  }
}

const workRe = new Float64Array(SIZE);
const workIm = new Float64Array(SIZE);

/** Returns the spectra of two real sequences, by one transform. */
export function fourierSpectraOf(first: Float64Array, second: Float64Array): [Spectrum, Spectrum] {
  workRe.fill(0).set(first);
  workIm.fill(0).set(second);
  transform(workRe, workIm);
  const [a, b] = [emptySpectrum(), emptySpectrum()];
  for (let k = 0; k <= HALF; k++) {
    const mirrored = (SIZE - k) % SIZE;
    a.re[k] = (workRe[k]! + workRe[mirrored]!) / 2;
    a.im[k] = (workIm[k]! - workIm[mirrored]!) / 2;
    b.re[k] = (workIm[k]! + workIm[mirrored]!) / 2;
    b.im[k] = (workRe[mirrored]! - workRe[k]!) / 2;
  }
  return [a, b];
}

/** Sums up products of spectra, and returns the sums of convolutions that they are. */
export class ConvolutionSum {
  readonly #sums: [Spectrum, Spectrum] = [emptySpectrum(), emptySpectrum()];
  #isEmpty = true;

  /** Adds the product to the first (0) or the second (1) sum. */
  add(to: 0 | 1, left: Spectrum, right: Spectrum): void {
    const { re, im } = this.#sums[to];
    this.#isEmpty = false;
    for (let k = 0; k <= HALF; k++) {
      re[k]! += left.re[k]! * right.re[k]! - left.im[k]! * right.im[k]!;
      im[k]! += left.re[k]! * right.im[k]! + left.im[k]! * right.re[k]!;
    }
  }

  /** Adds the first `length` values of both sums to the sequences, by one transform. */
  addTo(first: Float64Array, second: Float64Array): void {
    if (this.#isEmpty) return;
    const [x, y] = this.#sums;
    // Real and imaginary part are exchanged, which makes the inverse of the transform.
    for (let k = 0; k <= HALF; k++) {
      workIm[k] = x.re[k]! - y.im[k]!;
      workRe[k] = x.im[k]! + y.re[k]!;
      if (k === 0 || k === HALF) continue;
      workIm[SIZE - k] = x.re[k]! + y.im[k]!;
      workRe[SIZE - k] = y.re[k]! - x.im[k]!;
    }
    transform(workRe, workIm);
    for (let index = 0; index < first.length; index++) {
      first[index]! += workIm[index]! / SIZE;
      second[index]! += workRe[index]! / SIZE;
    }
  }
}
