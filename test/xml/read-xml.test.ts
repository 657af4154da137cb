import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allXmlElements, parseXmlText, readXml, xmlElementsAt, xmlTextAt } from "../../src/xml/read-xml.ts";

const folder = mkdtempSync(join(tmpdir(), "mainstay-xml-"));
afterAll(() => rmSync(folder, { recursive: true }));
const parse = (text: string) => parseXmlText("a.xml", Buffer.from(text));

test("elements have their names without prefix, texts, attributes and lines", () => {
  const root = parse(
    '<?xml version="1.0"?>\n<a:R xmlns:a="urn:x">\n <a:B ID="1"> x &amp; <![CDATA[<y>]]> </a:B>\n</a:R>',
  );
  expect(root).toMatchObject({ name: "R", line: 2, text: "" });
  expect(xmlElementsAt(root, "B")).toMatchObject([{ attributes: { ID: "1" }, line: 3, text: "x & <y>" }]);
  expect([xmlTextAt(root, "B"), xmlTextAt(root, "B", "C")]).toEqual(["x & <y>", ""]);
  expect([...allXmlElements(parse("<a><b><c/></b><d/></a>"))].map(({ name }) => name)).toEqual([..."abcd"]);
});

// Rule: import-buildingsync
describe("is refused", () => {
  const bomb = Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i + 1} "&e${i};&e${i};">`).join("");
  test.each([
    [
      "an entity bomb",
      `<!DOCTYPE r [<!ENTITY e0 "x">${bomb}]><r>&e20;</r>`,
      "Named entity isn't defined: &e20;",
    ],
    ["a document type", '<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>', "it has a document type"],
    ["an element that is not closed", "<r>\n<a></r>", "Missing end tag for element a (line 2"],
    ["nothing", "", "Root element is missing or invalid"],
    ["depth", "<a>".repeat(200_000) + "</a>".repeat(200_000), "its elements are nested too deeply"],
  ])("%s", (_, text, problem) => {
    expect(() => parse(text)).toThrow(`a.xml cannot be read as XML: ${problem}`);
  });

  test("very many elements, before they are parsed", () => {
    expect(() => parse(`<r>${"<a/>".repeat(3_000_000)}</r>`)).toThrow("it has more than 3000000 tags");
  });

  test("another encoding", () => {
    expect(() => parseXmlText("a.xml", Buffer.from([0x3c, 0xff, 0x3e]))).toThrow("it is not UTF-8");
  });

  test("a large file, before it is read, and one that is not there", () => {
    const path = join(folder, "large.xml");
    writeFileSync(path, "<r/>");
    truncateSync(path, 33 * 1_048_576);
    expect(() => readXml(path)).toThrow("it has more than 32 MiB");
    expect(() => readXml(join(folder, "absent.xml"))).toThrow("file not found");
    expect(() => readXml(folder)).toThrow("not a regular file");
  });
});
