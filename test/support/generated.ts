/** The values that a server generates: ids, secrets, tags, file names and addresses. They differ between servers. */
const MADE_UP = new RegExp(
  [
    "\\b(?<id>P|U|A|C|SE|CLM|PE|PH|EMB|CST|PARTNER|ADM)_[0-9a-hjkmnp-tv-z]{26}\\b",
    "\\b(?<delivery>WH)_\\d{13}_[0-9a-z]{5}\\b",
    "\\b(?<photo>[0-9a-f]{32})\\.(?:jpg|png|webp|heic)\\b",
    "\\b(?<secret>svc_live|svc_client|svc_secret|svc_embed|svct|whsec)_[\\w.+/=-]+",
    "\\b(?<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\\b",
    "(?<host>127\\.0\\.0\\.1:\\d+)",
    '(?<=request_id":")(?<request>[\\w-]{16})(?=")',
  ].join("|"),
  "g",
);
const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
/** Durations, and the calls of a day, which include those that a server has reserved. */
const OF_THIS_RUN = /"(duration_ms|uptime_s|calls)":\d+/g;
const HOUR_MS = 3_600_000;

/**
 * Replaces generated values by their kind and the order in which they first appear, such as `P#2`, so that the answers
 * of two servers can be compared. Times of these hours are all the same: each server has its own.
 */
export class GeneratedNames {
  readonly #names = new Map<string, string>();
  readonly #ofKind = new Map<string, string[]>();

  /** Returns the text with names in place of generated values. */
  in(text: string): string {
    return text
      .replaceAll(MADE_UP, (value, ...rest) => this.#nameOf(value, kindOf(rest.at(-1))))
      .replaceAll(INSTANT, (instant) =>
        Math.abs(Date.parse(instant) - Date.now()) < HOUR_MS ? "a moment of these hours" : instant,
      )
      .replaceAll(OF_THIS_RUN, '"$1":0');
  }

  #nameOf(value: string, kind: string): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const ofKind = this.#ofKind.get(kind) ?? [];
    this.#ofKind.set(kind, ofKind);
    const name = `${kind}#${ofKind.length}`;
    ofKind.push(value);
    this.#names.set(value, name);
    return name;
  }

  /** Returns the values of a kind in the order in which they appeared. */
  seen(kind: string): readonly string[] {
    return this.#ofKind.get(kind) ?? [];
  }
}

function kindOf(groups: Readonly<Record<string, string | undefined>>): string {
  const [name, value] = Object.entries(groups).find(([, value]) => value !== undefined)!;
  return ["id", "secret", "delivery"].includes(name) ? value! : name;
}
