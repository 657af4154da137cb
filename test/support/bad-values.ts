import { type ApiDocument, resolve, type Schema } from "./api-document.ts";

/** A field of a body at any depth: the names and positions that lead to it. */
export type Place = {
  path: readonly (string | number)[];
  schema: Schema;
  required: boolean;
};

/** Returns the fields of a body of this schema with one item in each list. */
export function placesOf(document: ApiDocument, schema: Schema, path: Place["path"] = []): Place[] {
  const whole = followed(document, schema);
  if (whole.anyOf) return placesOf(document, whole.anyOf[0]!, path);
  if (whole.type === "array") return placesOf(document, whole.items!, [...path, 0]);
  return Object.entries(whole.properties ?? {}).flatMap(([name, field]) => {
    const own = { path: [...path, name], schema: followed(document, field) };
    return [
      { ...own, required: whole.required?.includes(name) ?? false },
      ...placesOf(document, field, own.path),
    ];
  });
}

function followed(document: ApiDocument, schema: Schema): Schema {
  if (schema.allOf) return { ...followed(document, schema.allOf[0]!), nullable: schema.nullable };
  return resolve<Schema>(document, schema as Schema & { $ref: string });
}

/** Returns the body as JSON with the text `raw` in that place, or without the field when `raw` is undefined. */
export function bodyWith(good: object, path: Place["path"], raw: string | undefined): string {
  const body = structuredClone(good) as Record<string | number, unknown>;
  let parent = body;
  for (const step of path.slice(0, -1)) {
    parent[step] ??= {};
    parent = parent[step] as typeof body;
  }
  parent[path.at(-1)!] = raw === undefined ? undefined : MARK;
  return JSON.stringify(body).replace(`"${MARK}"`, () => raw ?? "");
}

/** Returns the body as JSON with that field written twice. */
export function bodyWithTwice(good: object, path: Place["path"]): string {
  const name = JSON.stringify(path.at(-1));
  return bodyWith(good, path, `null,${name}:null`);
}

const MARK = "(the bad value)";

export const isId = ({ schema }: Place) => /^[A-Z]+_/.test(String(schema.example));
const isNotes = ({ path }: Place) => ["notes", "description"].includes(String(path.at(-1)));
/** A text with a fixed set of values or a format. */
const isStrict = (place: Place) => {
  const name = String(place.path.at(-1));
  return isId(place) || !!place.schema.enum || !!place.schema.pattern || STRICT.includes(name);
};
const STRICT = ["component_def_id", "state", "type_id", "recorded_at"];
const text = (value: string) => JSON.stringify(value);
const DEEP = "[".repeat(10_000) + "]".repeat(10_000);

/** Returns bad values for one place of a body as JSON, by the kind of mistake. */
export const BAD_VALUES: Readonly<Record<string, (place: Place) => readonly string[]>> = {
  "a value of the wrong type": ({ schema: { type } }) =>
    ({
      string: ["7", "true", "{}", "[]", '["x"]', '{"toString":"x"}'],
      number: ['"7"', '""', "true", "{}", "[]", "[7]"],
      integer: ['"7"', "1.5", "true", "{}", "[]", "[7]"],
      object: ["7", '"x"', "true", "[]"],
      array: ["7", '"x"', "{}", '{"length":1}'],
    })[type!] ?? [],

  "a number out of range": ({ schema: { type, minimum = -1e15, maximum = 1e15 } }) =>
    type === "number" || type === "integer"
      ? [
          "1e999",
          "-1e999",
          "1e308",
          "123456789012345678901234567890",
          String(minimum - 1),
          String(maximum * 2),
        ]
      : [],

  "a text that is too long": (place) =>
    place.schema.type === "string" ? [text("x".repeat(isNotes(place) ? 10_001 : 501))] : [],

  "a control character": (place) =>
    place.schema.type === "string" ? ["a\u0000b", "a\u0007b", "a\u001b[31mb", "a\u007fb"].map(text) : [],

  "half a character": ({ schema: { type } }) =>
    type === "string" ? ['"\\ud800"', '"a\\udc00b"', '"\\udc00\\ud800"'] : [],

  "the name of what every object has": (place) =>
    place.schema.type === "string" && isStrict(place)
      ? ["__proto__", "constructor", "toString", "hasOwnProperty"].map(text)
      : [],

  "a day or a moment that there is not": ({ schema, path }) =>
    schema.format === "date" || path.at(-1) === "recorded_at"
      ? ["2026-02-30", "0000-00-00", "275760-09-13", "+275760-09-13T00:00:00Z", "2026-1-1", "9999-99-99"].map(
          text,
        )
      : [],

  "JSON that is nested 10,000 levels deep": () => [DEEP, `{"a":${DEEP}}`],
};
