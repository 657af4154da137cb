import fc from "fast-check";

type Sent = { body: string; type: string; encoding: "latin1" };

const TYPE = "multipart/form-data; boundary=b";
const JPEG = "\xff\xd8\xff\xe0\x00\x10JFIF";

const part = (disposition: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const file = (content: string, name = "tank.jpg") => part(`name="file"; filename="${name}"`, content);
const form = (...parts: string[]): Sent => ({
  body: `${parts.join("")}--b--\r\n`,
  type: TYPE,
  encoding: "latin1",
});

/** Forms with a picture, or with other data in its place, as bytes; every character is one. */
export function multipart(isHostile: boolean): fc.Arbitrary<Sent> {
  const bytes = fc.uint8Array({ maxLength: 50 }).map((some) => Buffer.from(some).toString("latin1"));
  const picture = bytes.map((rest) => JPEG + rest);
  const event = part('name="service_event_id"', "‹SE_›");
  if (!isHostile)
    return fc.oneof(
      picture.map((it) => form(file(it))),
      picture.map((it) => form(file(it), event)),
    );
  const name = fc.oneof(
    fc.constantFrom(
      "",
      "..",
      "../../etc/passwd",
      "a\\b",
      "‹501›",
      "\x00",
      "a\x07b",
      'a"; name="x',
      "__proto__",
    ),
    fc.string({ unit: "binary", maxLength: 300 }).map((it) =>
      Buffer.from(it)
        .toString("latin1")
        .replaceAll(/["\r\n]/g, ""),
    ),
    fc
      .integer({ min: 95, max: 110 })
      .map((count) => Buffer.from(`x${"\u{1f3e0}".repeat(count)}`).toString("latin1")),
  );
  const field = fc.constantFrom("", "SE_1", "‹other SE_›", "‹A_›", "\x00", "__proto__", "‹10001›", "\xff");
  const good = picture.map((it) => form(file(it)).body);
  return fc.oneof(
    fc.tuple(picture, name).map(([it, called]) => form(file(it, called))),
    fc.tuple(picture, field).map(([it, id]) => form(file(it), part('name="service_event_id"', id))),
    bytes.map((it) => form(file(it))),
    fc.constantFrom(
      form(file("<script>alert(1)</script>", "tank.jpg")),
      form(part('name="file"', JPEG)),
      form(part('name="__proto__"; filename="a.jpg"', JPEG)),
      form(file(JPEG), file(JPEG)),
      form(event),
      form(),
    ),
    fc
      .tuple(good, fc.nat(120))
      .map(([body, length]): Sent => ({ body: body.slice(0, length), type: TYPE, encoding: "latin1" })),
    fc
      .tuple(
        good,
        fc.constantFrom(
          "multipart/form-data",
          "multipart/form-data; boundary=",
          "application/json",
          "",
          "image/jpeg",
        ),
      )
      .map(([body, type]): Sent => ({ body, type, encoding: "latin1" })),
  );
}
