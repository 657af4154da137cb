import { readFileSync, statSync } from "node:fs";
import { XmlElement as Parsed, parseXml, XmlDocumentType, XmlText } from "@rgrove/parse-xml";
import { OperatorError } from "../domain/errors.ts";
import { notRegularFile } from "../files/durable-files.ts";

/** An element by its name without prefix. `text` is its own, trimmed; `line` counts from 1. */
export type XmlElement = {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly XmlElement[];
  text: string;
  line: number;
};

const MAX_BYTES = 32 * 1_048_576;
/** An element of four bytes takes 600 bytes of memory; those of documents have dozens. */
const MOST_TAGS = 3_000_000;

export const isXml = (path: string): boolean => /\.xml$/i.test(path);

/**
 * Reads a file as XML. Throws an OperatorError for one that is not well-formed, too large or too deep, and for one with a
 * document type: nothing is fetched, and no entity is expanded but those of XML itself.
 */
export function readXml(path: string): XmlElement {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) throw new OperatorError(`file not found: ${path}`, "Check the path.");
  if (!status.isFile()) throw notRegularFile(path);
  if (status.size > MAX_BYTES)
    throw new OperatorError(
      `${path} is too large: it has more than ${MAX_BYTES / 1_048_576} MiB`,
      "Export fewer buildings to a file.",
    );
  return parseXmlText(path, readFileSync(path));
}

/** Parses a document. Throws as `readXml` does. */
export function parseXmlText(name: string, bytes: Uint8Array): XmlElement {
  const refuse = (problem: string) =>
    new OperatorError(
      `${name} cannot be read as XML: ${problem}`,
      "Export it again from its program, as UTF-8.",
    );
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse("it is not UTF-8");
  }
  if (tagsIn(text) > MOST_TAGS) throw refuse(`it has more than ${MOST_TAGS} tags`);
  let root: Parsed | null;
  try {
    const document = parseXml(text, { includeOffsets: true, preserveDocumentType: true });
    if (document.children.some((node) => node instanceof XmlDocumentType))
      throw refuse("it has a document type, which may define entities");
    root = document.root;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    if (error instanceof RangeError) throw refuse("its elements are nested too deeply");
    throw refuse(error instanceof Error ? error.message.split("\n")[0]!.slice(0, 200) : "unknown error");
  }
  if (!root) throw refuse("it has no element");
  return elementsOf(root, lineCounter(text));
}

/** Counts beginnings of tags, no further than needed. */
function tagsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("<"); at >= 0 && count <= MOST_TAGS; at = text.indexOf("<", at + 1)) count++;
  return count;
}

type Node = { -readonly [K in keyof XmlElement]: XmlElement[K] } & { children: Node[] };

/** Converts without recursion, since elements may be nested as deep as the parser's own stack. */
function elementsOf(root: Parsed, lineAt: (offset: number) => number): XmlElement {
  const converted = (element: Parsed): Node => ({
    name: element.name.replace(/^[^:]*:/, ""),
    attributes: element.attributes,
    children: [],
    text: element.children
      .map((node) => (node instanceof XmlText ? node.text : ""))
      .join("")
      .trim(),
    line: lineAt(element.start),
  });
  const top = converted(root);
  const waiting: [Parsed, Node][] = [[root, top]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [from, to] = next;
    for (const node of from.children)
      if (node instanceof Parsed) {
        const child = converted(node);
        to.children.push(child);
        waiting.push([node, child]);
      }
  }
  return top;
}

/** Returns a function from an offset to its line, by halving. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** Returns the elements at a path of names below an element. */
export function xmlElementsAt(element: XmlElement, ...path: readonly string[]): XmlElement[] {
  let found: XmlElement[] = [element];
  for (const name of path)
    found = found.flatMap(({ children }) => children.filter((child) => child.name === name));
  return found;
}

/** Returns the text of the first element at a path that has one; empty without any. */
export const xmlTextAt = (element: XmlElement, ...path: readonly string[]): string =>
  xmlElementsAt(element, ...path).find(({ text }) => text !== "")?.text ?? "";

/** Yields an element and all below it, in the order of the document. */
export function* allXmlElements(element: XmlElement): Generator<XmlElement, void> {
  const waiting = [element];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    for (let at = next.children.length - 1; at >= 0; at--) waiting.push(next.children[at]!);
  }
}
