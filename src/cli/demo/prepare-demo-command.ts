import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import appliances from "../../../samples/nyc-elevators/appliances.csv" with { type: "text" };
import properties from "../../../samples/nyc-elevators/properties.csv" with { type: "text" };
import serviceEvents from "../../../samples/nyc-elevators/service_events.csv" with { type: "text" };
import { serializeCredentials } from "../../api-schemas/partner-schema.ts";
import type { SnapshotResult } from "../../api-schemas/snapshot-schema.ts";
import type { PlacedComponent } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { OperatorError } from "../../domain/errors.ts";
import type { Partner } from "../../domain/partner.ts";
import { dayOf } from "../../domain/time.ts";
import { createFile, replaceFile } from "../../files/durable-files.ts";
import { embeddedKnowledge } from "../../knowledge/embedded-knowledge.ts";
import { hashSecret } from "../../secrets/secret-hash.ts";
import {
  type DataFolderDeps,
  openServerDataFolder,
  serverDatabaseFile,
} from "../../server/server-data-folder.ts";
import { acquireServerInstanceLock } from "../../server/server-instance-lock.ts";
import type { PartnerTotals } from "../../store/queries/totals-queries.ts";
import { refuseLeftoverSqliteFiles } from "../../store/sqlite/leftover-sqlite-files.ts";
import type { Store } from "../../store/store.ts";
import { createAdministrator } from "../../usecases/administration/create-or-revoke-administrator.ts";
import { createDemoProperty } from "../../usecases/demo-property/create-demo-property.ts";
import { createEmbed } from "../../usecases/embeds/create-or-revoke-embed.ts";
import { importPortfolio } from "../../usecases/import/import-portfolio.ts";
import { changePartner } from "../../usecases/partners/administer-partner.ts";
import {
  type AdminUseCaseDeps,
  createPartner,
} from "../../usecases/partners/create-partner-and-credentials.ts";
import { writePortfolio } from "../../usecases/portfolio/portfolio-writer.ts";
import { takeSnapshot } from "../../usecases/snapshot/take-snapshot.ts";

/** The credentials printed at every start, stored beside the database in a file that only its owner can read. */
type DemoCredentials = ReturnType<typeof serializeCredentials> & {
  admin_id: string;
  admin_key: string;
  /** The token in the URL of the demo property's report. */
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

const DAILY_CALL_LIMIT = 1_000_000;

/**
 * Fills the demo's data folder. Existing data is kept, so a later run, also after an interrupted one, resumes where the
 * previous one stopped. `signal` interrupts it between two transactions.
 */
export async function prepareDemoCommand(
  deps: DataFolderDeps,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<DemoData> {
  const { config, clock, random } = deps;
  if (config.storage.url === "") refuseLeftoverSqliteFiles(serverDatabaseFile(config.storage.dataDir));
  const credentialsFile = claimFolder(config.storage.dataDir);
  // Locked before the database is opened, since opening may migrate it while another server runs.
  const lock = acquireServerInstanceLock(config.storage.dataDir);
  try {
    const { store, encryptor } = await openServerDataFolder(deps);
    try {
      const administration = { store, encryptor, random, actor: "cli:demo", changed: () => {} };
      const credentials = await ensureCredentials(administration, credentialsFile);
      const partner = (await store.read.partners.find(credentials.partner_id))!;
      const knowledge = embeddedKnowledge(config.costs);
      const yieldNow = async () => {
        await Bun.sleep(0);
        signal.throwIfAborted();
      };
      await importPortfolio({
        store,
        knowledge,
        partner,
        actor: "cli:demo",
        clock,
        yieldNow,
        sources: SAMPLE,
      });
      const propertyId = await ensureDemoProperty(store, knowledge, partner);
      const embedToken = await ensureEmbedToken(administration, credentialsFile, credentials, propertyId);
      // Set after the import, so that webhooks are sent for the snapshot's tier changes and not for every sample row.
      await changePartner(administration, partner.id, { webhookUrl });
      const monotonicMs = () => performance.now();
      const snapshot = await takeSnapshot(
        { store, knowledge, clock, monotonicMs, yieldNow, signal },
        dayOf(clock()),
      );
      return {
        credentials: { ...credentials, embed_token: embedToken },
        credentialsFile,
        totals: await store.read.totals.ofPartner(partner.id),
        riskiest: riskiestOf(await store.read.components.rowsOfProperty(propertyId)),
        snapshot,
      };
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

const SAMPLE = {
  properties: { name: "properties.csv", text: properties },
  appliances: { name: "appliances.csv", text: appliances },
  serviceEvents: { name: "service_events.csv", text: serviceEvents },
};

/** Returns the credentials file, created empty in a new folder. Rejects a folder with other data. */
function claimFolder(dataDir: string): string {
  const file = join(dataDir, "demo.json");
  if (existsSync(file)) return file;
  if (existsSync(serverDatabaseFile(dataDir)))
    throw new OperatorError(
      `the data folder ${dataDir} contains data that is not from a demo; it was not changed`,
      "Specify another folder with --data-dir, or omit it to use ./demo-data.",
    );
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  createFile(file, "{}\n");
  return file;
}

type OwnCredentials = Omit<DemoCredentials, "embed_token">;

async function ensureCredentials(administration: AdminUseCaseDeps, file: string): Promise<OwnCredentials> {
  const kept: Partial<DemoCredentials> = JSON.parse(readFileSync(file, "utf8"));
  const { partners } = administration.store.read;
  if (kept.admin_key && kept.partner_id && (await partners.find(kept.partner_id)))
    return kept as OwnCredentials;
  const { partner, credentials } = await createPartner(administration, {
    name: "Demo Partner",
    dailyBudget: DAILY_CALL_LIMIT,
    webhookUrl: null,
  });
  const administrator = await createAdministrator(administration, "Demo administrator");
  const created: OwnCredentials = {
    ...serializeCredentials(partner, credentials),
    admin_id: administrator.id,
    admin_key: administrator.key,
  };
  await save(file, created);
  return created;
}

const save = (file: string, credentials: object) =>
  replaceFile(file, `${JSON.stringify(credentials, null, 2)}\n`);

/** Returns the saved token of the demo property's report if it is still valid, else a new one. */
async function ensureEmbedToken(
  administration: AdminUseCaseDeps,
  file: string,
  credentials: OwnCredentials,
  propertyId: string,
): Promise<string> {
  const { embed_token: kept }: Partial<DemoCredentials> = JSON.parse(readFileSync(file, "utf8"));
  const known = kept && (await administration.store.read.embeds.findByToken(hashSecret(kept)));
  if (known && known.propertyId === propertyId && known.revokedAt === null) return kept;
  const { token } = await createEmbed(administration, { propertyId, days: null });
  await save(file, { ...credentials, embed_token: token });
  return token;
}

async function ensureDemoProperty(store: Store, knowledge: Knowledge, partner: Partner): Promise<string> {
  const [known] = await store.read.properties.demo(partner.id);
  if (known) return known.property.id;
  return await writePortfolio(store.write, knowledge, partner, async (writer) => {
    const { property } = await createDemoProperty(writer);
    return property.id;
  });
}

const riskiestOf = (rows: readonly PlacedComponent[]) =>
  rows.reduce((worst, row) => (row.riskScore > worst.riskScore ? row : worst));
