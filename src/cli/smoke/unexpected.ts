/** The failure of a step in the smoke test: the expected and the actual result. */
export class Unexpected extends Error {
  override readonly name = "Unexpected";
  constructor(
    readonly expected: string,
    readonly actual: string,
  ) {
    super(`expected ${expected}; ${actual}`);
  }
}
