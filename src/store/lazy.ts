/** Makes a value at its first use. Statements are prepared when they are first needed, and not all at the start. */
export function lazy<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}
