import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { makeProject, typeErrors } from "../../support/api-types.ts";

/*
 * The mistakes in serializers that the compiler reports. No code checks responses at run time: a mistake that compiles
 * would reach partners.
 */

const HEAD = `
import { anyOfSchema, listSchema, objectSchema, enumSchema, textSchema, usdSchema, wholeNumberSchema } from "../../../src/api-schemas/definition/schema-field-types.ts";
import { pageSchema } from "../../../src/api-schemas/paging-schema.ts";
import { okReplies, okReply, partnerOperation } from "../../../src/http/http-operation.ts";
import { bodySchema, nullableSchema, requiredSchema } from "../../../src/api-schemas/definition/input-schema.ts";
import type { WebhookMessage } from "../../../src/api-schemas/webhook-payload-schema.ts";
import { line, requiredLine } from "../../../src/api-schemas/definition/schema-constraints.ts";

export const room = objectSchema({
  name: textSchema("Its name", "Boiler room"),
  floor: wholeNumberSchema("Its floor", 1).orNull(),
  kind: enumSchema(["plant", "flat"], "What it is for"),
  size: objectSchema({ width: usdSchema("Width", 3), depth: usdSchema("Depth", 4) }).orNull(),
  doors: listSchema("Its doors", objectSchema({ label: textSchema("Its label", "A") })),
  note: textSchema("A note", "Locked").orAbsent(),
});
export const stored = { name: "A", floor: 1, kind: "plant" as const, size: null, doors: [], secret: "s" };
export const good = { name: "A", floor: 1, kind: "plant" as const, size: null, doors: [{ label: "A" }] };
export const unused = [anyOfSchema, pageSchema, okReplies, okReply, partnerOperation, bodySchema, nullableSchema, requiredSchema, line, requiredLine];
export type Unused = WebhookMessage;
`;

const FINE: [string, string][] = [
  ["a correct serializer", `export const v = room.serializer(() => good);`],
  ["one with an optional field", `export const v = room.serializer(() => ({ ...good, note: "n" }));`],
  [
    "one with nested objects",
    `export const v = room.serializer(() => ({ ...good, size: { width: 1, depth: 2 }, floor: null }));`,
  ],
];

const MISTAKES: [string, string][] = [
  [
    "a missing field",
    `export const v = room.serializer(() => { const { floor: _, ...rest } = good; return rest; });`,
  ],
  [
    "a field missing from a literal",
    `export const v = room.serializer(() => ({ name: "A", floor: 1, size: null, doors: [] }));`,
  ],
  ["an additional field", `export const v = room.serializer(() => ({ ...good, secret: "s" }));`],
  [
    "an additional field from a spread",
    `export const v = room.serializer(() => ({ ...stored, doors: [] }));`,
  ],
  ["an additional field of a stored object", `export const v = room.serializer(() => stored);`],
  [
    "a misnamed field",
    `export const v = room.serializer(() => ({ name: "A", flor: 1, kind: "plant", size: null, doors: [] }));`,
  ],
  ["a field of another type", `export const v = room.serializer(() => ({ ...good, floor: "1" }));`],
  [
    "null in a field that is never null",
    `export const v = room.serializer(() => ({ ...good, name: null }));`,
  ],
  [
    "a value that is not in the enum",
    `export const v = room.serializer(() => ({ ...good, kind: "attic" }));`,
  ],
  [
    "an additional field of a nested object",
    `export const v = room.serializer(() => ({ ...good, size: { width: 1, depth: 2, height: 3 } }));`,
  ],
  [
    "a missing field of a nested object",
    `export const v = room.serializer(() => ({ ...good, size: { width: 1 } }));`,
  ],
  [
    "an additional field of a list item",
    `export const v = room.serializer(() => ({ ...good, doors: [{ label: "A", key: "k" }] }));`,
  ],
  [
    "an additional field from a spread in a list item",
    `export const v = room.serializer(() => ({ ...good, doors: [stored].map((one) => ({ label: "A", ...one })) }));`,
  ],
  [
    "a list item of another type",
    `export const p = pageSchema("rooms", room).of([{ ...good, floor: "1" }], { limit: 1, offset: 0 }, 1, "Acme");`,
  ],
  [
    "a missing field of a page",
    `export const p = pageSchema("rooms", room, { level: textSchema("Level", "1") }).of([], { limit: 1, offset: 0 }, 1, "Acme");`,
  ],
  [
    "an undocumented response",
    `export const o = partnerOperation({ id: "x", method: "GET", path: "/x", summary: "X", replies: okReplies("A room", room), handle: () => okReply({ name: "A" }) });`,
  ],
  [
    "a response of an operation without documented responses",
    `export const o = partnerOperation({ id: "x", method: "GET", path: "/x", summary: "X", handle: () => okReply({ name: "A" }) });`,
  ],
  [
    "an unknown tag",
    `export const o = partnerOperation({ id: "x", method: "GET", path: "/x", summary: "X", tag: "Rooms", handle: () => ({ raw: "" }) });`,
  ],
  [
    "incomplete webhook data",
    `export const m: WebhookMessage = { event: "webhook.test", data: { message: "m" } };`,
  ],
  [
    "the data of another webhook event",
    `export const m: WebhookMessage = { event: "property.created", data: { message: "m", requested_by: "r" } };`,
  ],
  [
    "an unknown request field",
    `export const f = bodySchema({ name: requiredSchema(requiredLine, "Its name") }).parse({}).nmae;`,
  ],
  [
    "the wrong type of a request field",
    `export const f: number = bodySchema({ name: requiredSchema(requiredLine, "Its name") }).parse({}).name;`,
  ],
  [
    "an optional request field used as required",
    `export const f: string = bodySchema({ note: nullableSchema(line, "A note") }).parse({}).note;`,
  ],
];

let project: ReturnType<typeof makeProject>;
let errors: Record<string, string[]>;
beforeAll(async () => {
  const files = [...FINE, ...MISTAKES].map(([, code], i) => [`type-${i}.ts`, `${HEAD}${code}\n`] as const);
  project = makeProject(Object.fromEntries(files));
  errors = await typeErrors(project.folder);
});
afterAll(() => project.remove());

describe("the compiler", () => {
  test.each(FINE.map(([what], i) => [what, i] as const))("accepts %s", (_, i) => {
    expect(errors[`type-${i}.ts`] ?? []).toEqual([]);
  });

  test.each(MISTAKES.map(([what], i) => [what, FINE.length + i] as const))("rejects %s", (_, i) => {
    expect(errors[`type-${i}.ts`] ?? []).not.toBeEmpty();
  });
});
