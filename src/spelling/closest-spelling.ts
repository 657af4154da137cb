/** Returns the candidate that a misspelled word most likely means; undefined if none is close. */
export function closestSpelling(word: string, candidates: readonly string[]): string | undefined {
  return closest(candidates, (candidate) => typos(word, candidate));
}

/** Returns the closest key of two parts, such as "server.port". A right name in a wrong section is close too. */
export function closestKeySpelling<Key extends string>(
  key: string,
  candidates: readonly Key[],
): Key | undefined {
  const [section, name] = split(key);
  return closest(candidates, (candidate) => {
    const [itsSection, itsName] = split(candidate);
    return distanceWithin(section, itsSection, 1) + typos(name, itsName);
  });
}

const MOST_TYPOS = 3;

function closest<Word extends string>(
  candidates: readonly Word[],
  distanceTo: (candidate: Word) => number,
): Word | undefined {
  let found: Word | undefined;
  let least = MOST_TYPOS + 1;
  for (const candidate of candidates) {
    const distance = distanceTo(candidate);
    if (distance < least) [found, least] = [candidate, distance];
  }
  return found;
}

/** Returns the edit distance, or Infinity if too much of the word differs for a typo. */
function typos(word: string, candidate: string): number {
  const most = Math.max(1, Math.floor(candidate.length * 0.4));
  const distance = distanceWithin(word, candidate, most);
  return distance <= most ? distance : Number.POSITIVE_INFINITY;
}

/** Returns the edit distance; `most` + 1 if it is larger, without comparing a word that is that much longer. */
function distanceWithin(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  return Math.min(editDistance(a, b), most + 1);
}

function split(key: string): [section: string, name: string] {
  const dot = key.lastIndexOf(".");
  return [key.slice(0, Math.max(dot, 0)), key.slice(dot + 1)];
}

/** Counts insertions, deletions, substitutions and swaps of neighbors (optimal string alignment distance). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, substituted);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
