import { line, requiredLine } from "../../../src/api-schemas/definition/api-schema-constraints.ts";
import {
  bodySchema,
  nullableSchema,
  requiredSchema,
} from "../../../src/api-schemas/definition/input-schema.ts";
import {
  enumSchema,
  listSchema,
  objectSchema,
  textSchema,
  usdSchema,
  wholeNumberSchema,
} from "../../../src/api-schemas/definition/schema-field-types.ts";
import { pageSchema } from "../../../src/api-schemas/paging-schema.ts";
import type { WebhookMessage } from "../../../src/api-schemas/webhook-payload-schema.ts";
import { okReplies, okReply, partnerOperation } from "../../../src/http/http-operation.ts";

/*
 * The mistakes in serializers that the compiler reports. No code checks responses at run time: a mistake that compiles
 * would reach partners. The type check of `bun run check` compiles this file, which nothing runs, and fails where a line
 * below `@ts-expect-error` has no error.
 */

const room = objectSchema({
  name: textSchema("Its name", "Boiler room"),
  floor: wholeNumberSchema("Its floor", 1).orNull(),
  kind: enumSchema(["plant", "flat"], "What it is for"),
  size: objectSchema({ width: usdSchema("Width", 3), depth: usdSchema("Depth", 4) }).orNull(),
  doors: listSchema("Its doors", objectSchema({ label: textSchema("Its label", "A") })),
  note: textSchema("A note", "Locked").orAbsent(),
});
const stored = { name: "A", floor: 1, kind: "plant" as const, size: null, doors: [], secret: "s" };
const good = { name: "A", floor: 1, kind: "plant" as const, size: null, doors: [{ label: "A" }] };
const { floor: _, ...withoutFloor } = good;
const level = { level: textSchema("Level", "1") };
const first = { limit: 1, offset: 0 };
const get = { id: "x", method: "GET", path: "/x", summary: "X" } as const;
const named = bodySchema({ name: requiredSchema(requiredLine, "Its name") }).parse({});
const noted = bodySchema({ note: nullableSchema(line, "A note") }).parse({});
const textOf = (text: string) => text;
const numberOf = (number: number) => number;
const messageOf = (message: WebhookMessage) => message;

export const compiles = () => [
  room.serializer(() => good),
  room.serializer(() => ({ ...good, note: "n" })),
  room.serializer(() => ({ ...good, size: { width: 1, depth: 2 }, floor: null })),
  pageSchema("rooms", room).of([good], first, 1, "Acme"),
  pageSchema("rooms", room, level).of([], first, 1, "Acme", { level: "1" }),
  partnerOperation({
    ...get,
    replies: okReplies("A room", room),
    handle: () => okReply(room.serializer(() => good)()),
  }),
  partnerOperation({ ...get, handle: () => ({ raw: "" }) }),
  messageOf({ event: "webhook.test", data: { message: "m", requested_by: "r" } }),
  textOf(named.name),
];

export const mistakes = () => [
  // @ts-expect-error A missing field.
  room.serializer(() => withoutFloor),
  // @ts-expect-error A field missing from a literal.
  room.serializer(() => ({ name: "A", floor: 1, size: null, doors: [] })),
  // @ts-expect-error An additional field.
  room.serializer(() => ({ ...good, secret: "s" })),
  // @ts-expect-error An additional field from a spread.
  room.serializer(() => ({ ...stored, doors: [] })),
  // @ts-expect-error An additional field of a stored object.
  room.serializer(() => stored),
  // @ts-expect-error A misnamed field.
  room.serializer(() => ({ name: "A", flor: 1, kind: "plant", size: null, doors: [] })),
  // @ts-expect-error A field of another type.
  room.serializer(() => ({ ...good, floor: "1" })),
  // @ts-expect-error Null in a field that is never null.
  room.serializer(() => ({ ...good, name: null })),
  // @ts-expect-error A value that is not in the enum.
  room.serializer(() => ({ ...good, kind: "attic" })),
  // @ts-expect-error An additional field of a nested object.
  room.serializer(() => ({ ...good, size: { width: 1, depth: 2, height: 3 } })),
  // @ts-expect-error A missing field of a nested object.
  room.serializer(() => ({ ...good, size: { width: 1 } })),
  // @ts-expect-error An additional field of a list item.
  room.serializer(() => ({ ...good, doors: [{ label: "A", key: "k" }] })),
  // @ts-expect-error An additional field from a spread in a list item.
  room.serializer(() => ({ ...good, doors: [stored].map((one) => ({ label: "A", ...one })) })),
  // @ts-expect-error A list item of another type.
  pageSchema("rooms", room).of([{ ...good, floor: "1" }], first, 1, "Acme"),
  // @ts-expect-error A missing field of a page.
  pageSchema("rooms", room, level).of([], first, 1, "Acme"),
  // @ts-expect-error An undocumented response.
  partnerOperation({ ...get, replies: okReplies("A room", room), handle: () => okReply({ name: "A" }) }),
  // @ts-expect-error A response of an operation without documented responses.
  partnerOperation({ ...get, handle: () => okReply({ name: "A" }) }),
  // @ts-expect-error An unknown tag.
  partnerOperation({ ...get, tag: "Rooms", handle: () => ({ raw: "" }) }),
  // @ts-expect-error Incomplete webhook data.
  messageOf({ event: "webhook.test", data: { message: "m" } }),
  // @ts-expect-error The data of another webhook event.
  messageOf({ event: "property.created", data: { message: "m", requested_by: "r" } }),
  // @ts-expect-error An unknown request field.
  textOf(named.nmae),
  // @ts-expect-error The wrong type of a request field.
  numberOf(named.name),
  // @ts-expect-error An optional request field used as required.
  textOf(noted.note),
];
