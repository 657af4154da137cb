import { join } from "node:path";
import { seededRandom } from "../../src/domain/statistics/seeded-random.ts";
import { Bench } from "../mainstay.ts";
import { readRecords } from "./records.ts";

/*
 * A city's registrations and inspections of apartment buildings, imported as they are by the executable: what its condition
 * scores say beside the scores of the city's own inspectors.
 */

/** The records of a comparison: the register alone, or with the inspections that the city's own score also counts. */
const RECORDS = ["register", "register and inspections"] as const;

export type ConditionComparison = {
  records: (typeof RECORDS)[number];
  buildings: number;
  appliances: number;
  rejected: number;
  /** The medians of the city's latest score and of the condition score, both from 0 to 100. */
  medians: { city: number; ours: number };
  ratings: Readonly<Record<string, number>>;
  /** Median of what is due now as a share of the replacement value. */
  medianFci: number;
  correlation: number;
  interval: { low: number; high: number };
};

const RESAMPLES = 1_000;
const SEED = 20_260_301;

/** Compares the conditions of the buildings in a folder with `registrations.csv` and `evaluations.csv`. */
export async function compareConditions(folder: string): Promise<ConditionComparison[]> {
  const city = latestScores(join(folder, "evaluations.csv"));
  const compared: ConditionComparison[] = [];
  for (const records of RECORDS) compared.push(await compare(folder, records, city));
  return compared;
}

async function compare(
  folder: string,
  records: ConditionComparison["records"],
  city: ReadonlyMap<string, number>,
): Promise<ConditionComparison> {
  const bench = new Bench();
  try {
    const { partner_id, api_key } = await bench.partner("City");
    const files = ["registrations.csv", ...(records === "register" ? [] : ["evaluations.csv"])];
    const { json: imported } = await bench.run(
      "import",
      ...[
        "--partner",
        partner_id,
        "--default",
        "city=Toronto",
        "--yes",
        "--rejects",
        join(bench.folder, "rejects"),
      ],
      ...files.flatMap((file) => ["--file", join(folder, file)]),
    );
    const server = await bench.serve();
    const ask = async (path: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: the answers are documented
      (await (await fetch(`${server.url}/v1${path}`, { headers: { "X-Api-Key": api_key } })).json()) as any;
    const pairs: { city: number; ours: number }[] = [];
    const indexes: number[] = [];
    const ratings: Record<string, number> = {};
    for (let offset = 0; ; offset += 200) {
      const { properties, total } = await ask(`/properties?limit=200&offset=${offset}`);
      for (const { id } of properties) {
        const { partner_property_id: building } = await ask(`/properties/${id}`);
        const condition = await ask(`/property/${id}/condition-score`);
        const score = city.get(building);
        if (score === undefined || condition.components_assessed === 0) continue;
        pairs.push({ city: score, ours: condition.condition_score });
        ratings[condition.rating] = (ratings[condition.rating] ?? 0) + 1;
        if (condition.fci.value !== null) indexes.push(condition.fci.value);
      }
      if (offset + 200 >= total) break;
    }
    await server.stop();
    return {
      records,
      buildings: pairs.length,
      appliances: imported.appliances.created,
      rejected: imported.rejected,
      medians: { city: median(pairs.map((pair) => pair.city)), ours: median(pairs.map((pair) => pair.ours)) },
      ratings,
      medianFci: median(indexes),
      correlation: rankCorrelation(pairs),
      interval: resampled(pairs),
    };
  } finally {
    bench.remove();
  }
}

/** Returns the score of each building's latest visit. */
function latestScores(file: string): Map<string, number> {
  const latest = new Map<string, { day: string; score: number }>();
  for (const { RSN, EVALUATION_COMPLETED_ON: day, SCORE } of readRecords(file)) {
    const score = Number(SCORE);
    if (!RSN || !day || !(score > 0)) continue;
    if ((latest.get(RSN)?.day ?? "") < day) latest.set(RSN, { day, score });
  }
  return new Map([...latest].map(([building, { score }]) => [building, score]));
}

type Pairs = readonly { city: number; ours: number }[];

/** Spearman's rank correlation; equal values share their mean rank. */
function rankCorrelation(pairs: Pairs): number {
  const [a, b] = [ranks(pairs.map(({ city }) => city)), ranks(pairs.map(({ ours }) => ours))];
  const mean = (pairs.length - 1) / 2;
  let [product, ofA, ofB] = [0, 0, 0];
  for (const [i, rank] of a.entries()) {
    product += (rank - mean) * (b[i]! - mean);
    ofA += (rank - mean) ** 2;
    ofB += (b[i]! - mean) ** 2;
  }
  return product / Math.sqrt(ofA * ofB);
}

function ranks(values: readonly number[]): number[] {
  const sorted = values.toSorted((x, y) => x - y);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}

/** Returns the 90% interval of the correlation over resampled buildings. */
function resampled(pairs: Pairs): { low: number; high: number } {
  const random = seededRandom(SEED);
  const found = Array.from({ length: RESAMPLES }, () =>
    rankCorrelation(pairs.map(() => pairs[Math.floor(random() * pairs.length)]!)),
  ).toSorted((x, y) => x - y);
  return { low: found[Math.floor(RESAMPLES * 0.05)]!, high: found[Math.floor(RESAMPLES * 0.95)]! };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((x, y) => x - y);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
