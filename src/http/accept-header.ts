/** Parses a header such as Accept or Accept-Encoding. Returns the weight of each value, in lower case (RFC 9110 §12.4.2). */
export function parseHeaderWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",", 32)) {
    const [value = "", ...parameters] = part.split(";").map((text) => text.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(value, q === undefined ? 1 : Number(q.slice(2)) || 0);
  }
  return weights;
}
