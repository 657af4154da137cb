import { moment } from "../format.ts";

const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Instants as people read them. */
export const formatInstants = (text: string): string => text.replace(INSTANT, moment);

/** A finding as a sentence: instants as people read them, commands as what they are. */
export function ServerText({ text }: { text: string }) {
  const words = formatInstants(text);
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
  return <>{sentence.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>;
}
