/** Makes a value at its first use: statements are prepared when a process first needs them, not all at its start. */
export function lazy<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}
