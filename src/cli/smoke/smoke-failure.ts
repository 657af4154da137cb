/** The failure of a step in the smoke test: the expected and the actual result. */
export class SmokeFailure extends Error {
  override readonly name = "SmokeFailure";
  constructor(
    readonly expected: string,
    readonly actual: string,
  ) {
    super(`expected ${expected}; ${actual}`);
  }
}
