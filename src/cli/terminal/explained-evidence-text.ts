import { block, type Explained, line, number, percent } from "./explained-lines.ts";
import { fittedTable, wrapped } from "./fitted-table.ts";

/** The evidence as a table, and how it comes together. */
export function evidenceText({ evidence, hazard }: Explained, width: number): string {
  if (evidence.length === 0)
    return block("What speaks for and against it", width, [
      line("Nothing on record", "", "its hazard is that of its age alone"),
      line("Hazard ratio θ", "1", ""),
    ]);
  const rows = evidence.map((one) => [
    one.date ?? "",
    one.label,
    number(one.base_ratio),
    percent(one.remaining),
    powers(one),
    one.kind === "smart_event" ? `Λ ${number(one.acute_hazard)}` : `× ${number(one.factor)}`,
    one.ends_on ?? "-",
    one.source,
    one.ended_by ?? "",
  ]);
  const table = fittedTable(
    [
      { heading: "Date" },
      { heading: "Evidence", shrinks: true },
      { heading: "Ratio", align: "right" },
      { heading: "Left", align: "right" },
      { heading: "Power", align: "right", from: 100 },
      { heading: "Now", align: "right" },
      { heading: "Ends" },
      { heading: "Source", from: 100 },
      { heading: "Ended before by", from: 150, shrinks: true },
    ],
    rows,
    width - 2,
  );
  return [
    "What speaks for and against it",
    ...table.split("\n").map((row) => `  ${row}`),
    ...togetherLines(hazard, evidence, width),
  ].join("\n");
}

function powers({ weight, strength, times }: Explained["evidence"][number]): string {
  const all = weight * strength * times;
  return all === 1 ? "" : number(all);
}

function togetherLines(
  hazard: Explained["hazard"],
  evidence: Explained["evidence"],
  width: number,
): string[] {
  const isCascadeHeld = hazard.cascades < hazard.cascades_product;
  const isHeld = hazard.hazard_ratio !== hazard.product;
  const text = block("", width, [
    hazard.strength_condition !== 1 &&
      line("Strength of conditions", `^ ${number(hazard.strength_condition)}`, "calibrated"),
    hazard.strength_repairs !== 1 &&
      line("Strength of repairs", `^ ${number(hazard.strength_repairs)}`, "calibrated"),
    isCascadeHeld &&
      line(
        "Cascades, held",
        `× ${number(hazard.cascades)}`,
        `their product ${number(hazard.cascades_product)} counts as no more`,
      ),
    isHeld && line("Product", number(hazard.product), `held within ${hazard.lowest} and ${hazard.highest}`),
    line("Hazard ratio θ", `= ${number(hazard.hazard_ratio)}`, "multiplies the hazard of its age"),
    hazard.acute_hazard > 0 &&
      line(
        "Acute hazard Λ",
        `= ${number(hazard.acute_hazard)}`,
        `adds to it, within ${hazard.acute_span_days} days`,
      ),
  ]);
  const isShared = evidence.some(({ weight }) => weight !== 1);
  const note =
    "A ratio counts at a power of itself where its event concerns one of several components that nobody named, or a " +
    "fault that was mended.";
  return [...text.split("\n").slice(1), ...(isShared ? [wrapped(note, width, "  ")] : [])];
}
