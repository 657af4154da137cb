import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Inputs that reached an outcome first, or once failed: a folder for each target. */
const CORPUS = join(import.meta.dir, "corpus");
const LARGEST_KEPT = 4_096;
const MOST_KEPT = 16;

const nameOf = (input: Buffer) => `${Bun.hash(input).toString(16).padStart(16, "0")}.bin`;

/** Returns the kept inputs of a target, in a stable order. */
export function corpusOf(target: string): Buffer[] {
  const folder = join(CORPUS, target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(join(folder, name)));
}

/** Keeps an input with a new outcome, unless it is large or there are enough. */
export function keep(target: string, input: Buffer): boolean {
  if (input.length > LARGEST_KEPT || corpusOf(target).length >= MOST_KEPT) return false;
  save(target, input);
  return true;
}

/** Saves an input that failed; returns its path. */
export function save(target: string, input: Buffer): string {
  const folder = join(CORPUS, target);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, nameOf(input));
  writeFileSync(path, input);
  return path;
}
