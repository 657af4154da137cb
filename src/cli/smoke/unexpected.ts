/** What a step of the smoke test expected, and what came instead. */
export class Unexpected extends Error {
  override readonly name = "Unexpected";
  constructor(
    readonly expected: string,
    readonly came: string,
  ) {
    super(`expected ${expected}; ${came}`);
  }
}
