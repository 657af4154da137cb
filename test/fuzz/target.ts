/** A parser, called with anything. */
export type Target = {
  name: string;
  /** Valid inputs, from which others are derived. */
  seeds: readonly Buffer[];
  /** Parts that mean something to the parser, inserted now and then. */
  words: readonly string[];
  /** Returns a short word for the way in which the input was accepted; throws a refusal for the caller or operator. */
  parse(input: Buffer): unknown | Promise<unknown>;
  end?(): void | Promise<void>;
};
