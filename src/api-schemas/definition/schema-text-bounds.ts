/* The bounds of text. Separate from the constraints, so that a small command need not load the validation library. */

/** Matches C0 controls and DEL except line ends and tabs, which notes may contain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const LINE_CONTROL = /[\u0000-\u001f\u007f]/;

export const LONG = 10_000;
export const SHORT = 500;

/** Returns whether the text is well-formed and free of line ends and other control characters. */
export const isApiOneLine = (value: string) => value.isWellFormed() && !LINE_CONTROL.test(value.trim());
/** Returns whether the text is one line of at most 500 characters after trimming. Empty text is stored as absent. */
export const isApiTextLine = (value: string) => value.trim().length <= SHORT && isApiOneLine(value);
/** Matches a character that a reader sees: no space, and none without a width. */
const VISIBLE = /[^\s\p{Z}\p{Cc}\p{Cf}\p{DI}]/u;

/** Returns whether the text is such a line with something to see. */
export const isApiRequiredTextLine = (value: string) => VISIBLE.test(value) && isApiTextLine(value);
/** Returns whether the text has at most 10,000 characters after trimming and no control characters. */
export const isApiMultilineText = (value: string) =>
  value.trim().length <= LONG && value.isWellFormed() && !CONTROL.test(value);

/** The bounds that the API document states for these predicates: a schema cannot contain a function. */
export const TEXT_BOUNDS: ReadonlyMap<unknown, { minLength?: number; maxLength: number }> = new Map([
  [isApiTextLine, { maxLength: SHORT }],
  [isApiRequiredTextLine, { minLength: 1, maxLength: SHORT }],
  [isApiMultilineText, { maxLength: LONG }],
]);
