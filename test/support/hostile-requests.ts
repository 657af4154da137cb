import fc from "fast-check";
import {
  type ApiDocument,
  type DocumentedOperation,
  type DocumentedParameter,
  type OperationAt,
  resolve,
  type Schema,
} from "./api-document.ts";
import { BODIES, HEADERS, JSON_VALUES, MEDIA_TYPES, NAMES, PATHS, QUERIES } from "./hostile-values.ts";
import { multipart } from "./multipart.ts";

/*
 * Generates requests for an operation of the API document: good ones, and ones with a mutated or hostile part. A text
 * within ‹ and › is a placeholder that is replaced when the request is sent, so that a failure's seed makes the same
 * request on another server.
 */

export type HostileRequest = {
  /** Includes the query string. */
  target: string;
  headers: Record<string, string>;
  /** Undefined for an operation without a body. In latin1, a character is a byte. */
  body?: string;
  encoding: "utf8" | "latin1";
};

type Sent = { body: string; type: string; encoding?: "utf8" | "latin1" };
type Part = "nothing" | "path" | "query" | "headers" | "body";
type Parts = { path: string; query: string; headers: Record<string, string>; sent: Sent | undefined };

/** Generates requests for the operation. A few are good; the others have one part that is not. */
export function requestsFor(
  document: ApiDocument,
  { path, operation }: OperationAt,
): fc.Arbitrary<HostileRequest> {
  const { parameters = [], requestBody } = operation;
  const bodies = requestBody ? new Bodies(document, requestBody.content) : undefined;
  const withHostile = (part: Part): fc.Arbitrary<Parts> =>
    fc.record({
      path: pathFor(path, parameters, part === "path"),
      query: queryFor(parameters, part === "query"),
      headers: headersFor(operation, part === "headers"),
      sent: bodies ? bodies.arbitrary(part === "body") : fc.constant(undefined),
    });
  const parts: Part[] = ["nothing", "query", "headers"];
  if (path.includes("{")) parts.push("path");
  if (bodies) parts.push("nothing", "body", "body", "body", "body");
  return fc.oneof(...parts.map(withHostile)).map(({ path, query, headers, sent }) => ({
    target: query === "" ? path : `${path}?${query}`,
    headers: sent ? { "content-type": sent.type, ...headers } : headers,
    body: sent?.body,
    encoding: sent?.encoding ?? "utf8",
  }));
}

/** Returns the text with its placeholders replaced. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/‹([^›]+)›/g, (whole, name: string) => values[name] ?? whole);
}

/** Replaces an example id of the document by one that exists, and so the credentials of a client. */
const alive = (text: string) =>
  text
    .replaceAll(/\b([A-Z]+_)[0-9a-z]{26}\b/g, "‹$1›")
    .replaceAll(/\bWH_\d{13}_[0-9a-z]{5}\b/g, "‹WH_›")
    .replaceAll(/\b[0-9a-f]{32}\.jpg\b/g, "‹photo›")
    .replaceAll(/svc_(client|secret)_[0-9a-f…]+/g, "‹svc_$1›");

function pathFor(
  template: string,
  parameters: readonly DocumentedParameter[],
  isHostile: boolean,
): fc.Arbitrary<string> {
  const parameter = parameters.find((one) => one.in === "path");
  if (!parameter) return fc.constant(template);
  const good = alive(String(parameter.example));
  const values = isHostile
    ? fc.oneof(
        fc.constantFrom(...PATHS, good.replace("‹", "‹other ")),
        text().map(encodeURIComponent),
        // A dot alone would lead to another path before it is sent.
        fc.string({ minLength: 1 }).map((value) => `x${value.replaceAll(/[/?#\\]/g, "%")}`),
      )
    : fc.constant(good);
  return values.map((value) => template.replace(/\{\w+\}/, () => value));
}

function queryFor(parameters: readonly DocumentedParameter[], isHostile: boolean): fc.Arbitrary<string> {
  const known = parameters.filter((one) => one.in === "query");
  const good = known.map(({ name, required, schema, example }) => {
    const pair = example === undefined ? fc.constant("") : fc.constant(`${name}=${encoded(example)}`);
    const number = fc.integer({ min: schema.minimum ?? 0, max: 300 }).map((value) => `${name}=${value}`);
    const given = schema.type === "integer" ? fc.oneof(pair, number) : pair;
    return required ? given : fc.oneof(given, fc.constant(""));
  });
  const pairs = fc.tuple(...good).map((all) => all.filter((pair) => pair !== ""));
  if (!isHostile) return pairs.map((all) => all.join("&"));
  const names = fc.constantFrom(...known.map(({ name }) => name), ...NAMES);
  const value = fc.oneof(fc.constantFrom(...QUERIES), text().map(encodeURIComponent));
  const bent = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(names, value).map(([name, given]) => `${name}=${given}`) },
    { weight: 1, arbitrary: fc.tuple(names, value).map(([name, given]) => `${name}=1&${name}=${given}`) },
    { weight: 1, arbitrary: fc.constantFrom("%zz", "%", "=", "&&&", "?", "a[b]=c", "+=%20", "%00=1") },
  );
  return fc.tuple(pairs, bent).map(([all, more]) => {
    const replaced = all.filter((pair) => pair.split("=")[0] !== more.split("=")[0]);
    return [...replaced, more].join("&");
  });
}

const encoded = (example: unknown) =>
  alive(String(example)).replaceAll(/[^‹›\w]+/g, (strange) => encodeURIComponent(strange));

function headersFor(
  { parameters = [] }: DocumentedOperation,
  isHostile: boolean,
): fc.Arbitrary<Record<string, string>> {
  const keyed = parameters.some(({ name }) => name === "Idempotency-Key");
  if (!isHostile)
    return keyed
      ? fc.oneof(fc.constant({}), fc.uuid().map(keyHeader), fc.constantFrom("a", "b").map(keyHeader))
      : fc.constant({});
  const names = [
    ...["idempotency-key", "idempotency-key", "if-none-match", "if-none-match", "x-request-id", "accept"],
    ...["x-forwarded-for", "forwarded", "range", "content-encoding", "x-http-method-override", "cookie"],
  ];
  const value = fc.oneof(fc.constantFrom(...HEADERS), fc.string({ maxLength: 300 }));
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...names), value).map(header) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom("x-api-key", "authorization"), value).map(header) },
  );
}

const keyHeader = (key: string) => ({ "idempotency-key": key });
const header = ([name, value]: [string, string]) => ({ [name]: value.trim() });

/** Any text that UTF-8 can encode. */
const text = () => fc.string({ unit: "binary", minLength: 1, maxLength: 40 });

/** Generates the bodies of one operation as text: JSON values would lose what is hostile in their notation. */
class Bodies {
  constructor(
    private readonly document: ApiDocument,
    private readonly content: NonNullable<DocumentedOperation["requestBody"]>["content"],
  ) {}

  arbitrary(isHostile: boolean): fc.Arbitrary<Sent> {
    return fc.oneof(
      ...Object.entries(this.content).map(([type, { schema, example }]) => {
        if (type === "multipart/form-data") return multipart(isHostile);
        if (type !== "application/json") return this.#form(schema, example, type, isHostile);
        return isHostile ? this.#hostile(schema, example) : this.#good(schema, example).map(asJson);
      }),
    );
  }

  #good(schema: Schema, example: unknown): fc.Arbitrary<string> {
    return fc.oneof(fc.constant(alive(JSON.stringify(example))), this.#valid(schema));
  }

  #hostile(schema: Schema, example: unknown): fc.Arbitrary<Sent> {
    const good = this.#good(schema, example);
    const cut = fc
      .tuple(good, fc.nat(99))
      .map(([text, percent]) => text.slice(0, Math.floor((text.length * percent) / 100)));
    const declared = fc
      .tuple(good, fc.constantFrom(...MEDIA_TYPES))
      .map(([body, type]): Sent => ({ body, type }));
    return fc.oneof(
      { weight: 8, arbitrary: this.#bent(schema).map(asJson) },
      { weight: 2, arbitrary: fc.oneof(cut, fc.constantFrom(...BODIES), text()).map(asJson) },
      { weight: 1, arbitrary: declared },
      { weight: 1, arbitrary: fc.string({ unit: "binary" }).map((body) => bytes(`{"name":"${body}\xff"}`)) },
    );
  }

  #form(schema: Schema, example: unknown, type: string, isHostile: boolean): fc.Arbitrary<Sent> {
    const names = Object.keys(this.#resolved(schema).properties ?? {});
    const good = names.map((name) => `${name}=${encoded((example as Record<string, unknown>)[name])}`);
    if (!isHostile) return fc.constant({ body: good.join("&"), type });
    const bent = fc
      .tuple(fc.nat(names.length - 1), fc.constantFrom(...QUERIES))
      .map(([at, value]) => good.map((pair, i) => (i === at ? `${names[i]}=${value}` : pair)).join("&"));
    const shapes = fc.constantFrom(`${good.join("&")}&${good[0]}`, good[0]!, "", "&&&", "%zz=%zz");
    return fc.oneof(bent, shapes, text()).map((body) => ({ body, type }));
  }

  /** Generates a value that the schema allows, with existing ids in place of the document's examples. */
  #valid(given: Schema): fc.Arbitrary<string> {
    const schema = this.#resolved(given);
    const values = this.#validNotNull(schema);
    return schema.nullable ? fc.oneof({ weight: 5, arbitrary: values }, fc.constant("null")) : values;
  }

  #validNotNull(schema: Schema): fc.Arbitrary<string> {
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((branch) => this.#valid(branch)));
    if (schema.enum) return fc.constantFrom(...schema.enum.map((value) => JSON.stringify(value)));
    const example = alive(JSON.stringify(schema.example ?? "text"));
    if (schema.type === "object") return this.#fields(schema).map(objectOf);
    if (schema.type === "array")
      return fc
        .array(schema.items ? this.#valid(schema.items) : fc.constant("null"), { maxLength: 4 })
        .map(listOf);
    if (schema.type === "boolean") return fc.constantFrom("true", "false");
    if (schema.type === "integer" || schema.type === "number") {
      const { minimum = -1e6, maximum = 1e6 } = schema;
      const whole = fc.integer({ min: Math.ceil(minimum), max: Math.min(maximum, 2_000_000_000) });
      return fc.oneof(fc.constant(example), whole.map(String));
    }
    return fc.oneof(
      { weight: 4, arbitrary: fc.constant(example) },
      { weight: 1, arbitrary: freeText(schema).map((value) => JSON.stringify(value)) },
    );
  }

  #fields({ properties = {}, required = [] }: Schema): fc.Arbitrary<[string, string][]> {
    return fc
      .tuple(
        ...Object.entries(properties).map(([name, field]) => {
          const given = this.#valid(field).map((value): [string, string] => [name, value]);
          return required.includes(name) ? given : fc.option(given, { nil: undefined });
        }),
      )
      .map((fields) => fields.filter((field) => field !== undefined));
  }

  /** Generates a value with one place, at any depth, that the schema refuses. */
  #bent(given: Schema): fc.Arbitrary<string> {
    const schema = this.#resolved(given);
    const stray = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...JSON_VALUES) },
      { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
      { weight: 1, arbitrary: text().map((value) => JSON.stringify(value)) },
    );
    if (schema.anyOf) return fc.oneof(stray, ...schema.anyOf.map((branch) => this.#bent(branch)));
    if (schema.type === "array" && schema.items) {
      const item = this.#bent(schema.items);
      const among = fc.tuple(fc.array(this.#valid(schema.items), { maxLength: 2 }), item);
      return fc.oneof(
        { weight: 1, arbitrary: stray },
        { weight: 1, arbitrary: fc.constantFrom("[‹1001 items›]", "[]") },
        { weight: 5, arbitrary: among.map(([items, bent]) => listOf([...items, bent])) },
      );
    }
    if (schema.type !== "object" || !schema.properties) return stray;
    const names = Object.keys(schema.properties);
    const inField = fc.oneof(
      ...names.map((name) => this.#bent(schema.properties![name]!).map((value) => [name, value] as const)),
    );
    const fields = this.#fields(schema);
    return fc.oneof(
      { weight: 1, arbitrary: stray },
      {
        weight: 8,
        arbitrary: fc.tuple(fields, inField).map(([all, bent]) => objectOf([...without(all, bent[0]), bent])),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fields, fc.constantFrom(...names))
          .map(([all, name]) => objectOf(without(all, name))),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(fields, inField).map(([all, bent]) => objectOf([...all, bent, bent])),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fields, fc.constantFrom(...NAMES), stray)
          .map(([all, name, value]) => objectOf([...all, [name, value]])),
      },
    );
  }

  #resolved(schema: Schema): Schema {
    if (schema.allOf) return { ...this.#resolved(schema.allOf[0]!), nullable: schema.nullable };
    return resolve<Schema>(this.document, schema as Schema & { $ref: string });
  }
}

function freeText({ pattern, format, minLength = 0, maxLength = 500 }: Schema): fc.Arbitrary<string> {
  if (format === "date") {
    const [min, max] = [new Date("1900-01-01"), new Date("2026-01-01")];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
  }
  return pattern
    ? fc.stringMatching(new RegExp(pattern))
    : fc.string({ unit: "grapheme", minLength, maxLength });
}

type Fields = readonly (readonly [string, string])[];

const without = (fields: Fields, name: string) => fields.filter(([known]) => known !== name);
const objectOf = (fields: Fields) =>
  `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
const listOf = (items: readonly string[]) => `[${items.join(",")}]`;
const asJson = (body: string): Sent => ({ body, type: "application/json" });
const bytes = (body: string): Sent => ({ body, type: "application/json", encoding: "latin1" });
