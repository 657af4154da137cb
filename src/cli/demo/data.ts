import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import appliances from "../../../samples/nyc-elevators/appliances.csv" with { type: "text" };
import properties from "../../../samples/nyc-elevators/properties.csv" with { type: "text" };
import serviceEvents from "../../../samples/nyc-elevators/service_events.csv" with { type: "text" };
import { type DataFolderWorld, databaseFile, openDataFolder } from "../../app/data-folder.ts";
import { lockInstance } from "../../app/instance-lock.ts";
import type { PlacedComponent } from "../../domain/component.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import type { Partner } from "../../domain/partner.ts";
import type { SnapshotResult } from "../../domain/snapshot.ts";
import { dayOf } from "../../domain/time.ts";
import { loadKnowledge } from "../../knowledge/load.ts";
import { hashSecret } from "../../secrets/hash.ts";
import type { PartnerTotals } from "../../store/queries/totals.ts";
import { refuseLeftoverFiles } from "../../store/sqlite/leftover-files.ts";
import type { Store } from "../../store/store.ts";
import { changePartner } from "../../usecases/administer-partner.ts";
import { createAdministrator } from "../../usecases/administrators.ts";
import { createDemoProperty } from "../../usecases/create-demo-property.ts";
import { createEmbed } from "../../usecases/embeds.ts";
import { importPortfolio } from "../../usecases/import-portfolio.ts";
import { type Administration, createPartner } from "../../usecases/partners.ts";
import { writePortfolio } from "../../usecases/portfolio-writer.ts";
import { takeSnapshot } from "../../usecases/take-snapshot.ts";
import { credentialsRecord } from "../../wire/partner.ts";

/** What is shown at every start, and kept beside the database in a file that its owner alone can read. */
export type DemoCredentials = ReturnType<typeof credentialsRecord> & {
  admin_id: string;
  admin_key: string;
  /** What opens the demo property's page. */
  embed_token: string;
};

export type DemoData = {
  credentials: DemoCredentials;
  credentialsFile: string;
  totals: PartnerTotals;
  /** The demo property's component with the highest score. */
  riskiest: PlacedComponent;
  snapshot: SnapshotResult;
};

const CALLS_A_DAY = 1_000_000;

/**
 * Fills the demo's data folder. What is there already is left as it is, so that a later run, or one after a run that
 * was cut short, goes on from where that left off. `signal` cuts it short between two transactions.
 */
export async function prepareDemo(
  world: DataFolderWorld,
  receiverUrl: string,
  signal: AbortSignal,
): Promise<DemoData> {
  const { config, clock, random } = world;
  if (config.storage.url === "") refuseLeftoverFiles(databaseFile(config.storage.dataDir));
  const credentialsFile = claimFolder(config.storage.dataDir);
  const { store, sealer } = await openDataFolder(world);
  try {
    const lock = lockInstance(config.storage.dataDir);
    try {
      const administration = { store, sealer, random, actor: "cli:demo", changed: () => {} };
      const credentials = await credentialsOf(administration, credentialsFile);
      const partner = (await store.read.partners.find(credentials.partner_id))!;
      const knowledge = loadKnowledge();
      const pause = async () => {
        await Bun.sleep(0);
        signal.throwIfAborted();
      };
      await importPortfolio({ store, knowledge, partner, actor: "cli:demo", clock, pause, sources: SAMPLE });
      const propertyId = await demoPropertyId(store, knowledge, partner);
      const embedToken = await embedTokenOf(administration, credentialsFile, credentials, propertyId);
      // Only now, so that what is told is what the snapshot finds, and not every row of the sample.
      await changePartner(administration, partner.id, { webhookUrl: receiverUrl });
      const ticks = () => performance.now();
      const snapshot = await takeSnapshot({ store, knowledge, clock, ticks, pause, signal }, dayOf(clock()));
      return {
        credentials: { ...credentials, embed_token: embedToken },
        credentialsFile,
        totals: await store.read.totals.ofPartner(partner.id),
        riskiest: riskiestOf(await store.read.components.rowsOfProperty(propertyId)),
        snapshot,
      };
    } finally {
      lock.release();
    }
  } finally {
    await store.close();
  }
}

const SAMPLE = {
  properties: { name: "properties.csv", text: properties },
  appliances: { name: "appliances.csv", text: appliances },
  serviceEvents: { name: "service_events.csv", text: serviceEvents },
};

/** The credentials' file, made empty in a folder that is new. A folder with other people's data is refused. */
function claimFolder(dataDir: string): string {
  const file = join(dataDir, "demo.json");
  if (existsSync(file)) return file;
  if (existsSync(databaseFile(dataDir)))
    throw new OperatorError(
      `the data folder ${dataDir} holds data that is no demo's; it was not touched`,
      "Name another folder with --data-dir, or leave it out for ./demo-data.",
    );
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(file, "{}\n", { mode: 0o600 });
  return file;
}

type OwnCredentials = Omit<DemoCredentials, "embed_token">;

async function credentialsOf(administration: Administration, file: string): Promise<OwnCredentials> {
  const kept: Partial<DemoCredentials> = JSON.parse(readFileSync(file, "utf8"));
  const { partners } = administration.store.read;
  if (kept.admin_key && kept.partner_id && (await partners.find(kept.partner_id)))
    return kept as OwnCredentials;
  const { partner, credentials } = await createPartner(administration, {
    name: "Demo Partner",
    dailyBudget: CALLS_A_DAY,
    webhookUrl: null,
  });
  const administrator = await createAdministrator(administration, "Demo administrator");
  const made: OwnCredentials = {
    ...credentialsRecord(partner, credentials),
    admin_id: administrator.id,
    admin_key: administrator.key,
  };
  keep(file, made);
  return made;
}

const keep = (file: string, credentials: object) =>
  writeFileSync(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });

/** What opens the demo property's page: the one that is kept while it does, else a new one. */
async function embedTokenOf(
  administration: Administration,
  file: string,
  credentials: OwnCredentials,
  propertyId: string,
): Promise<string> {
  const { embed_token: kept }: Partial<DemoCredentials> = JSON.parse(readFileSync(file, "utf8"));
  const known = kept && (await administration.store.read.embeds.findByToken(hashSecret(kept)));
  if (known && known.propertyId === propertyId && known.revokedAt === null) return kept;
  const { token } = await createEmbed(administration, { propertyId, days: null });
  keep(file, { ...credentials, embed_token: token });
  return token;
}

async function demoPropertyId(store: Store, knowledge: Knowledge, partner: Partner): Promise<string> {
  const [known] = await store.read.properties.demo(partner.id);
  if (known) return known.property.id;
  return await writePortfolio(store.write, knowledge, partner, async (writer) => {
    const { property } = await createDemoProperty(writer);
    return property.id;
  });
}

const riskiestOf = (rows: readonly PlacedComponent[]) =>
  rows.reduce((worst, row) => (row.riskScore > worst.riskScore ? row : worst));
