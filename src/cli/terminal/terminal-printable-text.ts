// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Replaces control characters other than tabs and line ends, which a terminal would run as commands: a text may contain
 * what a partner, a file or an endpoint has sent.
 */
export const printableTerminalText = (text: string): string => text.replace(CONTROL, "\ufffd");
