import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { makeProject, typeErrors } from "../../support/api-types.ts";

/*
 * What a view may get wrong, and that the compiler says so. Views are typed by their records and by nothing that runs,
 * so a mistake that compiled would reach partners.
 */

const HEAD = `
import { anyOf, list, object, enumOf, text, usd, whole } from "../../../src/wire/schema/fields.ts";
import { page } from "../../../src/wire/paging.ts";
import { answers, ok, partnerOperation } from "../../../src/http/operation.ts";
import { body, nullable, required } from "../../../src/wire/schema/input.ts";
import { webhookData, type WebhookMessage } from "../../../src/wire/webhooks.ts";
import { line, requiredLine } from "../../../src/wire/schema/constraints.ts";

export const room = object({
  name: text("Its name", "Boiler room"),
  floor: whole("Its floor", 1).orNull(),
  kind: enumOf(["plant", "flat"], "What it is for"),
  size: object({ width: usd("Width", 3), depth: usd("Depth", 4) }).orNull(),
  doors: list("Its doors", object({ label: text("Its label", "A") })),
  note: text("A note", "Locked").orAbsent(),
});
export const stored = { name: "A", floor: 1, kind: "plant" as const, size: null, doors: [], secret: "s" };
export const good = { name: "A", floor: 1, kind: "plant" as const, size: null, doors: [{ label: "A" }] };
export const unused = [anyOf, page, answers, ok, partnerOperation, body, nullable, required, webhookData, line, requiredLine];
export type Unused = WebhookMessage;
`;

const FINE: [string, string][] = [
  ["a view that is right", `export const v = room.serializer(() => good);`],
  [
    "one with a field that may be absent",
    `export const v = room.serializer(() => ({ ...good, note: "n" }));`,
  ],
  [
    "one with its parts",
    `export const v = room.serializer(() => ({ ...good, size: { width: 1, depth: 2 }, floor: null }));`,
  ],
];

const MISTAKES: [string, string][] = [
  [
    "a field left out",
    `export const v = room.serializer(() => { const { floor: _, ...rest } = good; return rest; });`,
  ],
  [
    "a field left out of a literal",
    `export const v = room.serializer(() => ({ name: "A", floor: 1, size: null, doors: [] }));`,
  ],
  ["a field added", `export const v = room.serializer(() => ({ ...good, secret: "s" }));`],
  ["a field added by a spread", `export const v = room.serializer(() => ({ ...stored, doors: [] }));`],
  ["a field added by handing on what is stored", `export const v = room.serializer(() => stored);`],
  [
    "a field misnamed",
    `export const v = room.serializer(() => ({ name: "A", flor: 1, kind: "plant", size: null, doors: [] }));`,
  ],
  ["a field of another type", `export const v = room.serializer(() => ({ ...good, floor: "1" }));`],
  [
    "null where there is always something",
    `export const v = room.serializer(() => ({ ...good, name: null }));`,
  ],
  ["a value out of a closed set", `export const v = room.serializer(() => ({ ...good, kind: "attic" }));`],
  [
    "a field added to a part",
    `export const v = room.serializer(() => ({ ...good, size: { width: 1, depth: 2, height: 3 } }));`,
  ],
  [
    "a field left out of a part",
    `export const v = room.serializer(() => ({ ...good, size: { width: 1 } }));`,
  ],
  [
    "a field added to what a list holds",
    `export const v = room.serializer(() => ({ ...good, doors: [{ label: "A", key: "k" }] }));`,
  ],
  [
    "a field spread into what a list holds",
    `export const v = room.serializer(() => ({ ...good, doors: [stored].map((one) => ({ label: "A", ...one })) }));`,
  ],
  [
    "a list's record that is none",
    `export const p = page("rooms", room).of([{ ...good, floor: "1" }], { limit: 1, offset: 0 }, 1, "Acme");`,
  ],
  [
    "what a page tells beside its list",
    `export const p = page("rooms", room, { level: text("Level", "1") }).of([], { limit: 1, offset: 0 }, 1, "Acme");`,
  ],
  [
    "an answer that its operation does not document",
    `export const o = partnerOperation({ id: "x", method: "GET", path: "/x", summary: "X", replies: answers("A room", room), handle: () => ok({ name: "A" }) });`,
  ],
  [
    "an answer of an operation that documents none",
    `export const o = partnerOperation({ id: "x", method: "GET", path: "/x", summary: "X", handle: () => ok({ name: "A" }) });`,
  ],
  [
    "the tag of an operation",
    `export const o = partnerOperation({ id: "x", method: "GET", path: "/x", summary: "X", tag: "Rooms", handle: () => ({ raw: "" }) });`,
  ],
  [
    "what a webhook carries",
    `export const m: WebhookMessage = { event: "webhook.test", data: { message: "m" } };`,
  ],
  [
    "which event carries it",
    `export const m: WebhookMessage = { event: "property.created", data: { message: "m", requested_by: "r" } };`,
  ],
  [
    "a field that a request does not have",
    `export const f = body({ name: required(requiredLine, "Its name") }).parse({}).nmae;`,
  ],
  [
    "the type of a field of a request",
    `export const f: number = body({ name: required(requiredLine, "Its name") }).parse({}).name;`,
  ],
  [
    "what may be missing of a request",
    `export const f: string = body({ note: nullable(line, "A note") }).parse({}).note;`,
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
  test.each(FINE.map(([what], i) => [what, i] as const))("lets %s be", (_, i) => {
    expect(errors[`type-${i}.ts`] ?? []).toEqual([]);
  });

  test.each(MISTAKES.map(([what], i) => [what, FINE.length + i] as const))("refuses %s", (_, i) => {
    expect(errors[`type-${i}.ts`] ?? []).not.toBeEmpty();
  });
});
