import type { HazardWords, KeywordGroup, KeywordRules } from "../domain/domain-knowledge.ts";
import { READER_VERSION } from "../domain/scoring/find-note-keywords.ts";
import { ANY_INSPECTION } from "../domain/scoring/note-lexicon.ts";
import type { CheckedFiles } from "./knowledge-file-schemas.ts";

/** The version covers everything that the stored findings of a note depend on. */
export function keywordRules(
  { keywords: file, regimes, hazards }: Pick<CheckedFiles, "keywords" | "regimes" | "hazards">,
  typeOf: ReadonlyMap<string, string>,
): KeywordRules {
  return {
    version: `${READER_VERSION}-${Bun.hash(JSON.stringify([file, regimes.notes, hazards])).toString(36)}`,
    groups: file.groups.map(({ component_ids: ids, cleared_by, ...group }) => ({
      ...group,
      componentIds: ids === "all" ? ids : new Set(ids),
      typeIds: ids === "all" ? ids : new Set(ids.map((id) => typeOf.get(id)!)),
      clearedBy: cleared_by ?? [],
    })),
    reachWords: file.reach_words,
    negations: file.negations,
    notNegations: file.not_negations,
    negationsAfter: file.negations_after,
    negationsRightAfter: file.negations_right_after,
    clauseEnds: file.clause_ends,
    verbsAfterAnd: file.verbs_after_and,
    listWords: file.list_words,
    resolutions: file.resolutions,
    persistence: file.persistence,
    unfulfilled: file.unfulfilled,
    hypotheticals: file.hypotheticals,
    falseFriends: file.false_friends,
    conjunctions: [],
    joinedOver: [],
    completions: [],
    stillDue: [],
    otherVisits: [],
    otherVisitsAfter: [],
    exceptions: [],
    calledFor: [],
    putOff: [],
    removals: null,
  };
}

/**
 * Returns the rules that find inspections in a note: those of favorable findings, so that what a note denies, supposes or
 * announces is none. The id of a group is its inspection types, separated by spaces.
 */
export function inspectionWords(
  files: Pick<CheckedFiles, "keywords" | "regimes" | "hazards">,
  typeOf: ReadonlyMap<string, string>,
): KeywordRules {
  const rules = keywordRules(files, typeOf);
  const { words, visits, not_done_before, not_done_after, verdicts, reports, no_visits, ...notes } =
    files.regimes.notes;
  const group = (id: string, phrases: string[]): KeywordGroup => ({
    id,
    direction: "down",
    ratio: 1,
    words: [],
    phrases,
    componentIds: "all",
    typeIds: "all",
    clearedBy: [],
  });
  return {
    ...rules,
    groups: [
      ...words.map(({ phrases, inspection_types }) => group(inspection_types.join(" "), phrases)),
      group(ANY_INSPECTION, visits),
    ],
    negations: [
      ...rules.negations,
      ...not_done_before,
      ...notes.exceptions,
      ...notes.called_for,
      ...notes.put_off,
    ],
    notNegations: [...rules.notNegations, ...notes.favorable, ...notes.not_negations],
    negationsAfter: [...rules.negationsAfter, ...not_done_after],
    negationsRightAfter: [...rules.negationsRightAfter, ...notes.not_done_right_after],
    falseFriends: notes.false_friends,
    conjunctions: notes.conjunctions,
    joinedOver: notes.joined_over,
    completions: notes.completions,
    stillDue: notes.still_due,
    otherVisits: notes.other_visits,
    otherVisitsAfter: notes.other_visits_after,
    exceptions: notes.exceptions,
    calledFor: notes.called_for,
    putOff: notes.put_off,
    reports: {
      ...reports,
      results: [...reports.results, ...notes.completions, ...verdicts.passes],
      notDenials: notes.favorable,
      noVisits: no_visits,
    },
    verdicts: {
      failures: verdicts.failures,
      passes: verdicts.passes,
      noVerdicts: verdicts.no_verdicts,
      denials: [...rules.negations, ...verdicts.denials],
      doubts: [...rules.negations, ...rules.unfulfilled, ...rules.hypotheticals, ...verdicts.doubts],
      conditions: verdicts.conditions,
      presentConditions: verdicts.present_conditions,
      earlier: verdicts.earlier,
      barriers: verdicts.barriers,
      subjects: verdicts.subjects,
      neutrals: verdicts.neutrals,
      followers: verdicts.followers,
      resolutions: rules.resolutions,
    },
  };
}

/** Returns the rules that find known hazards in notes: those of word groups, with the hazards as groups. */
export function hazardWords(files: Pick<CheckedFiles, "keywords" | "regimes" | "hazards">): HazardWords {
  const { hazards } = files;
  const base = keywordRules(files, new Map());
  const rules: KeywordRules = {
    ...base,
    groups: hazards.hazards.map(({ code, phrases }) => ({
      id: code,
      direction: "up" as const,
      ratio: 1,
      words: [],
      phrases,
      componentIds: "all" as const,
      typeIds: "all" as const,
      clearedBy: [],
    })),
    reachWords: hazards.reach_words,
    negations: [...base.negations, ...hazards.negations],
    falseFriends: [],
    removals: { ...hazards.removals, undone: [...base.unfulfilled, ...hazards.removals.undone] },
  };
  return { rules, units: unitNames(hazards.unit_words, hazards.abbreviations, hazards.measures) };
}

/**
 * Returns an expression for parts of a building: "unit 3", "Apt. 2B", "3rd floor" and "in #12". A number may be anything else
 * too: not a date, a measure ("unit 200 amp"), or that of a document or device ("PO #12", "breaker #4").
 */
function unitNames(
  words: readonly string[],
  abbreviations: readonly string[],
  measures: readonly string[],
): RegExp {
  const anyCase = (word: string) => [...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join("");
  const oneOf = (texts: readonly string[]) => `(?:${texts.map(anyCase).join("|")})`;
  const word = `\\b(?:${oneOf(abbreviations)}\\.|${oneOf(words)})`;
  const isDate = "\\d{1,4}[/.-]\\d{1,2}[/.-]\\d{2}|\\d{1,2}[/.-](?:19|20)\\d\\d\\b";
  const isMeasure = `\\d+[ -]?${oneOf(measures)}\\b|\\d+ ?[%"'′″]`;
  const number = `(?!${isDate}|${isMeasure})[A-Za-z]{0,2}-?\\d`;
  const inWords = oneOf(NUMBERS_IN_WORDS);
  // "unit A" and "unit I" may be the beginning of another sentence's words in capitals.
  const letter = "[B-HJ-Z](?![\\w/&'’-])|(?<=[a-z] )A(?![\\w/&'’-])";
  return new RegExp(
    `${word}(?:\\s?[ #:(]{0,3}(?:[nN]o\\.? )?(?:${number})|\\s(?:${inWords})\\b(?! ?${oneOf(measures)}\\b)| (?:${letter}))` +
      `|\\b\\d{1,2}(?:st|nd|rd|th) [fF]loor\\b` +
      `|(?:^|[,;(] ?|\\b(?:in|at|of|for) )#\\d{1,4}[A-Za-z]?\\b`,
  );
}

const NUMBERS_IN_WORDS = "one two three four five six seven eight nine ten eleven twelve".split(" ");
