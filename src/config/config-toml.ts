import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import { closestSpelling } from "../spelling/closest-spelling.ts";
import type { SettingEntry, SettingsReading } from "./setting-entry.ts";
import { SETTINGS } from "./settings.ts";

/** Parses a TOML text into entries with their lines. `name` is the file name in error messages. */
export function readConfigToml(text: string, name: string): SettingsReading {
  const source = text.replace(/^\uFEFF/, "");
  try {
    const program = parseTOML(source);
    const reader = new Reader(source, name);
    for (const node of program.body[0].body) reader.readTopLevel(node);
    return reader.reading;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { entries: [], problems: [`${name}:${position(error, source)}: ${error.message}`] };
  }
}

class Reader {
  readonly reading: SettingsReading = { entries: [], problems: [] };

  constructor(
    private readonly source: string,
    private readonly name: string,
  ) {}

  readTopLevel(node: AST.TOMLKeyValue | AST.TOMLTable): void {
    const path = node.type === "TOMLTable" ? node.resolvedKey.map(String) : [];
    const problem = node.type === "TOMLTable" ? sectionProblem(path, node.kind) : undefined;
    if (problem) this.reading.problems.push(`${this.line(node)}: ${problem}`);
    else for (const pair of node.type === "TOMLTable" ? node.body : [node]) this.readPair(pair, path);
  }

  /** Reads a key, also a dotted key or an inline table: `server.port = 1`, `server = { port = 1 }`. */
  private readPair(pair: AST.TOMLKeyValue, parents: string[]): void {
    const path = [
      ...parents,
      ...pair.key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value)),
    ];
    if (pair.value.type === "TOMLInlineTable" && pair.value.body.length > 0) {
      for (const inner of pair.value.body) this.readPair(inner, path);
      return;
    }
    const key = path.join(".");
    const place = (node: AST.TOMLNode) => ({ origin: `${this.line(node)}: ${key}`, shown: this.shown(node) });
    const entry: SettingEntry = { ...place(pair.value), key, value: getStaticTOMLValue(pair.value) };
    if (pair.value.type === "TOMLArray") {
      entry.items = pair.value.elements.map(place);
    }
    this.reading.entries.push(entry);
  }

  private line(node: AST.TOMLNode): string {
    return `${this.name}:${node.loc.start.line}`;
  }

  private shown(node: AST.TOMLNode): string {
    return this.source.slice(...node.range);
  }
}

function sectionProblem(path: string[], kind: "standard" | "array"): string | undefined {
  const section = path[0]!;
  if (!Object.hasOwn(SETTINGS, section)) {
    const meant = closestSpelling(section, Object.keys(SETTINGS));
    return `${section}: unknown section${meant ? `; did you mean [${meant}]?` : ""}`;
  }
  if (kind === "array") return `${section}: expected one section [${section}], got a list`;
  if (path.length > 1) return `${path.join(".")}: unknown section; [${section}] has no subsections`;
  return undefined;
}

/** Returns LINE:COLUMN, from 1. The parser reports an unterminated value at the start of the next line. */
function position(error: ParseError, source: string): string {
  const leftOpen = error.column === 0 && /^(Unspecified|Unterminated)/.test(error.message);
  if (!leftOpen || error.lineNumber < 2) return `${error.lineNumber}:${error.column + 1}`;
  const line = error.lineNumber - 1;
  return `${line}:${(source.split(/\r?\n/)[line - 1] ?? "").length + 1}`;
}
