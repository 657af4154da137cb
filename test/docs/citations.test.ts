import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** Returns the tracked files that people write. */
function textFiles(): string[] {
  const { stdout } = Bun.spawnSync(["git", "ls-files"], { cwd: ROOT });
  return stdout
    .toString()
    .split("\n")
    .filter((path) => /\.(ts|tsx|md|toml|json|sh|py)$/.test(path) && existsSync(join(ROOT, path)))
    .filter((path) => !path.startsWith("test/fixtures/") && path !== "test/docs/citations.test.ts");
}

/** Returns the anchors of a Markdown document's headings, as GitHub forms them. */
function anchorsOf(markdown: string): Set<string> {
  const headings = markdown.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm);
  return new Set(
    Array.from(headings, ([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

type Reader = (path: string) => string | undefined;

const readTracked: Reader = (path) => {
  const file = join(ROOT, path);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
};

/** Returns the folders that relative names in a text may start from: tests of documents quote their names. */
const foldersOf = (path: string) => [
  "",
  dirname(path),
  ...(path.startsWith("test/docs/") ? ["docs", "docs/examples", "docs/model"] : []),
];

/** Returns the Markdown documents, and the sections of them, that a text cites but that do not exist. */
function brokenCitations(path: string, text: string, read: Reader = readTracked): string[] {
  const broken: string[] = [];
  for (const [citation, document, anchor] of text.matchAll(/([\w./-]*\w\.md)\b(?:#([\w-]+))?/g)) {
    if (/:\/\/\S*$/.test(text.slice(0, text.indexOf(citation)).split(/\s/).at(-1)!)) continue;
    const content = foldersOf(path)
      .map((folder) => read(join(folder, document!)))
      .find((found) => found !== undefined);
    if (content === undefined) broken.push(`${path}: there is no ${document}`);
    else if (anchor !== undefined && !anchorsOf(content).has(anchor))
      broken.push(`${path}: ${document} has no section #${anchor}`);
  }
  return broken;
}

test("every document and section that a text names exists", () => {
  const files = textFiles();
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((path) => brokenCitations(path, readTracked(path)!))).toEqual([]);
});

test("every file that docs/model links to exists", () => {
  const links = textFiles()
    .filter((path) => path.startsWith("docs/model/"))
    .flatMap((path) =>
      Array.from(readTracked(path)!.matchAll(/\]\((\.\.[^)#]*)\)/g), ([, link]) =>
        join(dirname(path), link!),
      ),
    );
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test("a section number is cited of an RFC only: sections of our own documents have names", () => {
  const numbered = textFiles()
    .filter((path) => /^(src|test|packaging|bench)\//.test(path))
    .flatMap((path) =>
      readTracked(path)!
        .split("\n")
        .filter((line) => line.includes("§") && !/RFC \d+/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
  expect(numbered).toEqual([]);
});

test("a missing document and a missing section are found", () => {
  const read: Reader = (path) => (path === "docs/a.md" ? "# Title\n\n## `x`: Two words\n" : undefined);
  const broken = (text: string) => brokenCitations("docs/b.md", text, read);
  expect(broken("see docs/a.md, a.md#x-two-words and [a](a.md#title)")).toEqual([]);
  expect(broken("see docs/c.md and docs/a.md#three-words")).toEqual([
    "docs/b.md: there is no docs/c.md",
    "docs/b.md: docs/a.md has no section #three-words",
  ]);
});
