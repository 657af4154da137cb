/** A value that only its owner may know. */
export type Secret = { kind: string; value: string };

/** A secret that was found: its kind and how it was encoded, never the secret itself. */
export type Leak = { kind: string; form: string };

/** The first characters of needles are searched for first: they are few, since most credentials begin alike. */
const HEAD = 4;
/** The random part of a credential, without the prefix of its kind. */
const RANDOM_PART = /[\da-f]{48}|[A-Za-z\d+/]{43}=/;
const RANDOM_PARTS = new RegExp(`(?<![A-Za-z\\d+/])(?:${RANDOM_PART.source})(?![A-Za-z\\d+/])`, "g");

type Needles = { byLength: Map<number, Map<string, Leak>> };

/** Searches texts for secrets in clear, without their prefix, in base64 of any alignment, and URL-encoded. */
export class SecretSearch {
  readonly #heads = new Map<string, Needles>();
  readonly #parts = new Map<string, Leak>();

  constructor(secrets: Iterable<Secret>) {
    for (const { kind, value } of secrets) {
      for (const [form, needle] of formsOf(value)) this.#add(needle, { kind, form });
      const part = /^[a-z_]+/.test(value) ? RANDOM_PART.exec(value)?.[0] : undefined;
      if (part !== undefined) this.#parts.set(part, { kind, form: "without its prefix" });
    }
  }

  /** Returns every leak in the text, each kind and encoding once. */
  find(text: string): Leak[] {
    const found = new Map<string, Leak>();
    const note = (leak: Leak) => found.set(`${leak.kind} ${leak.form}`, leak);
    for (const [head, { byLength }] of this.#heads)
      for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1))
        for (const [length, needles] of byLength) {
          const leak = needles.get(text.slice(at, at + length));
          if (leak) note(leak);
        }
    if (this.#parts.size > 0)
      for (const [part] of text.matchAll(RANDOM_PARTS)) {
        const leak = this.#parts.get(part);
        if (leak) note(leak);
      }
    return [...found.values()];
  }

  #add(needle: string, leak: Leak): void {
    const head = needle.slice(0, HEAD);
    const needles = this.#heads.get(head) ?? { byLength: new Map() };
    this.#heads.set(head, needles);
    const sameLength = needles.byLength.get(needle.length) ?? new Map<string, Leak>();
    needles.byLength.set(needle.length, sameLength);
    if (!sameLength.has(needle)) sameLength.set(needle, leak);
  }
}

function formsOf(value: string): [form: string, needle: string][] {
  const inUrl = encodeURIComponent(value);
  const quoted = JSON.stringify(value).slice(1, -1);
  return [
    ["in clear", value],
    ...(inUrl === value ? [] : [["URL-encoded", inUrl] as [string, string]]),
    ...(quoted === value ? [] : [["as JSON", quoted] as [string, string]]),
    ...[0, 1, 2].flatMap((shift) => {
      const inner = base64Within(value, shift);
      const urlSafe = inner.replaceAll("+", "-").replaceAll("/", "_");
      const forms: [string, string][] = [["in base64", inner]];
      return urlSafe === inner ? forms : [...forms, ["in base64url", urlSafe] as [string, string]];
    }),
  ];
}

/** Returns the base64 characters that depend on the text alone when that many bytes precede it. */
function base64Within(value: string, shift: number): string {
  const bytes = Buffer.from(" ".repeat(shift) + value);
  const first = shift === 0 ? 0 : shift + 1;
  return bytes.toString("base64").slice(first, Math.floor((bytes.length * 8) / 6));
}
