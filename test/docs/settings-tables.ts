import { explainConfig, type SettingExplanation } from "../../src/config/explain-config.ts";
import { RENEW } from "./manual.ts";

const BEGIN = `<!-- settings: written by \`${RENEW}\` from config.example.toml -->`;
const END = "<!-- end of settings -->";

/** Returns the manual with the current tables of settings of config.example.toml. */
export function withSettings(manual: string): string {
  const [head, rest = "", ...more] = manual.split(BEGIN);
  const [, tail, ...evenMore] = rest.split(END);
  if (tail === undefined || more.length + evenMore.length > 0)
    throw new Error(`the manual needs the lines ${BEGIN} and ${END}, once each`);
  return `${head}${BEGIN}\n${settingsTables()}${END}${tail}`;
}

function settingsTables(): string {
  const sections = explainConfig().map(({ name, comment, settings }) =>
    [
      `\n### \`[${name}]\`\n`,
      `${comment}\n`,
      "| Setting | Default | Accepts | Meaning |",
      "|---|---|---|---|",
      ...settings.map(row),
      "",
    ].join("\n"),
  );
  return `${sections.join("")}\n`;
}

function row({ key, default: usual, type, secret, comment }: SettingExplanation): string {
  const cells = [`\`${key}\``, `\`${JSON.stringify(usual)}\``, type, secret ? `${comment} Secret.` : comment];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
