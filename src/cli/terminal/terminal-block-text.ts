import type { JsonOf } from "../../api-schemas/definition/api-schema-type.ts";
import type { explanationReply } from "../../api-schemas/explanation-schema.ts";
import { currencyFormat, wholeMoney } from "../../domain/wording/currency-and-unit-wording.ts";
import { wrapTerminalText } from "./terminal-table.ts";

/* Formatting of lines with a label, a number and its basis. */

export type ExplainedScore = JsonOf<typeof explanationReply>;

const LABEL = 26;
const VALUE = 15;

type Line = readonly [label: string, value: string, note: string];

export const terminalExplainedLine = (label: string, value: string, note: string): Line => [
  label,
  value,
  note,
];

/** Returns a heading with its lines below it. */
export function terminalBlock(
  heading: string,
  width: number,
  lines: readonly (Line | false | null)[],
): string {
  const shown = lines.filter((line) => line !== false && line !== null);
  const labels = Math.max(LABEL, ...shown.map(([label]) => (label.length <= LABEL + 10 ? label.length : 0)));
  return [heading, ...shown.map((line) => asText(line, labels, width))].join("\n");
}

function asText([label, value, note]: Line, labels: number, width: number): string {
  const lead = `  ${label.padEnd(labels)} ${value.padStart(VALUE)}`;
  return note === "" ? lead : wrapTerminalText(note, width, `${lead}  `);
}

/** Formats a number with four significant digits. */
export const formatTerminalNumber = (value: number) =>
  Number(value.toPrecision(4)).toLocaleString("en-US", { maximumSignificantDigits: 4 });
/** Formats a share as a percentage. Never rounds up to 100%. */
export const formatTerminalPercent = (share: number) => {
  const shown = Number((share * 100).toPrecision(3));
  return shown === 100 && share < 1 ? "over 99.9%" : `${shown}%`;
};
export const formatTerminalYears = (value: number) =>
  `${formatTerminalNumber(value)} ${formatTerminalNumber(value) === "1" ? "year" : "years"}`;
export const formatTerminalDays = (value: number) => `${Math.round(value).toLocaleString("en-US")} days`;
const small = currencyFormat({ minimumFractionDigits: 0, maximumFractionDigits: 2 });
export const formatTerminalAmount = (value: number) => (Math.abs(value) < 100 ? small : wholeMoney)(value);
/** Formats `hard_water` as `Hard water`. */
export const terminalSentenceCase = (token: string) =>
  `${token.charAt(0).toUpperCase()}${token.slice(1).replaceAll("_", " ")}`;
