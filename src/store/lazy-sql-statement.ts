/** Returns a function that makes a value at its first call, and returns the same value at every other. */
export function lazySqlStatement<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}
