/*
 * Texts in CSV files that people open in a spreadsheet, which would run a cell with a leading sign as a formula. A quote
 * before the sign prevents that. Text that already has quotes before a sign gets one more, so that each text is restored.
 */

/** The signs in ASCII and full width, and the blanks that a spreadsheet drops before them. */
const SIGN = "[=+\\-@\\t\\r\\n\\uff1d\\uff0b\\uff0d\\uff20]";
const NEEDS_QUOTE = new RegExp(`^'*${SIGN}`);
const HAS_QUOTE = new RegExp(`^'+${SIGN}`);

/** Returns the text with a leading quote if it looks like a formula. */
export const neutralizeCsvFormula = (text: string): string => (NEEDS_QUOTE.test(text) ? `'${text}` : text);

/** Returns the text that was neutralized; any other text unchanged. */
export const restoreCsvFormula = (text: string): string => (HAS_QUOTE.test(text) ? text.slice(1) : text);
