import type { SmokeResult } from "./run-smoke.ts";

/** Returns the steps as a JUnit XML report. */
export function smokeJunitReport({ steps, duration_ms }: SmokeResult): string {
  const failures = steps.filter(({ ok }) => !ok).length;
  const counts = `tests="${steps.length}" failures="${failures}" errors="0" skipped="0" time="${seconds(duration_ms)}"`;
  const cases = steps.map(({ name, ok, duration_ms, detail = "" }) => {
    const open = `    <testcase classname="mainstay.smoke" name="${escaped(name)}" time="${seconds(duration_ms)}"`;
    return ok ? `${open}/>` : `${open}>\n      <failure message="${escaped(detail)}"/>\n    </testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="mainstay smoke" ${counts}>`,
    `  <testsuite name="mainstay smoke" ${counts}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

const seconds = (ms: number) => (ms / 1000).toFixed(3);

/** Escapes text for an attribute, and removes characters that XML cannot represent. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, "")
    .replace(/[&<>"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
