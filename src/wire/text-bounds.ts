/* What text may be. Apart from the shapes, whose library a small command need not load. */

/** C0 controls and DEL, but for line ends and tabs, which notes may hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const LINE_CONTROL = /[\u0000-\u001f\u007f]/;

export const LONG = 10_000;
export const SHORT = 500;

/** Without line ends and other controls, and with no half of a character. */
export const isOneLine = (value: string) => value.isWellFormed() && !LINE_CONTROL.test(value.trim());
/** One line of at most 500 characters after trimming; may be empty, which is stored as absent. */
export const isLine = (value: string) => value.trim().length <= SHORT && isOneLine(value);
/** As `isLine`, and not empty. */
export const isRequiredLine = (value: string) => value.trim() !== "" && isLine(value);
/** Free text of at most 10,000 characters after trimming. */
export const isLongText = (value: string) =>
  value.trim().length <= LONG && value.isWellFormed() && !CONTROL.test(value);

/** What these checks come to for a schema, which cannot hold a function. */
export const TEXT_BOUNDS: ReadonlyMap<unknown, { minLength?: number; maxLength: number }> = new Map([
  [isLine, { maxLength: SHORT }],
  [isRequiredLine, { minLength: 1, maxLength: SHORT }],
  [isLongText, { maxLength: LONG }],
]);
