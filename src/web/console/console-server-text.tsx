import { pageInstantWithLocalTimeText } from "../widgets/local-date-time.tsx";

const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Replaces each ISO 8601 instant in a text by its readable form. */
export const formatConsoleInstants = (text: string): string =>
  text.replace(INSTANT, pageInstantWithLocalTimeText);

/** Renders a text from the server as a sentence, with readable times and with text in backquotes as code. */
export function ConsoleServerMessage({ text }: { text: string }) {
  const readable = formatConsoleInstants(text);
  const sentence = `${readable.charAt(0).toUpperCase()}${readable.slice(1)}${/[.!?]$/.test(readable) ? "" : "."}`;
  return <>{sentence.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>;
}
