const COLORS = { red: "\u001b[31m", yellow: "\u001b[33m", none: "\u001b[39m" };

/** The statuses and tiers that need attention: checks at the start of a line, deliveries after their event, tiers anywhere. */
const STATUSES = /^(?:Failed|Warning)(?= {2})|(?<= {2})failed(?= |$)|\b(?:CRITICAL|WARNING)\b/gm;

/** Colors the statuses and tiers of a printable text, so that nothing of what a partner has sent becomes a color code. */
export const coloredTerminalText = (text: string): string =>
  text.replace(STATUSES, (status) => {
    const color = status.toLowerCase() === "warning" ? COLORS.yellow : COLORS.red;
    return `${color}${status}${COLORS.none}`;
  });
