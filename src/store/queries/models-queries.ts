import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, sql } from "drizzle-orm";
import type {
  ModelCheck,
  ModelVersion,
  StoredCorrections,
  StoredFit,
} from "../../domain/calibration/model-version.ts";
import { calibratedModelVersion } from "../../domain/calibration/model-version.ts";
import type { Engine } from "../store-engine.ts";
import type { Tables } from "../store-schema.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

type NewModelVersion = Omit<Tables["modelVersions"]["$inferInsert"], "number">;
/** The part of the version in use that scoring reads. */
export type ModelInUse = { number: number; version: string; base: string; corrections: StoredCorrections };

/** The latest calibration that was requested, with its result. */
export type LatestCalibration = Omit<Tables["latestCalibration"]["$inferSelect"], "id">;

const CHECKS_KEPT = 60;

/** Reads and writes calibrations, the active model version, and its checks. */
export function modelStore(engine: Engine) {
  const { db, isAmong } = engine;
  const { latestCalibration, modelChecks, modelFrailties, modelInUse, modelProposals, modelVersions } =
    engine.tables;
  const identity = engine.read<{ number: number; createdAt: number }>(() =>
    db
      .select(aliasedSqlColumns({ number: modelVersions.number, createdAt: modelVersions.createdAt }))
      .from(modelInUse)
      .innerJoin(modelVersions, eq(modelVersions.number, modelInUse.number)),
  );
  const frailties = engine.read<{ applianceId: string; frailty: number }>(() =>
    db
      .select(aliasedSqlColumns({ applianceId: modelFrailties.applianceId, frailty: modelFrailties.frailty }))
      .from(modelFrailties)
      .where(
        sql`${isAmong(modelFrailties.applianceId, "applianceIds")} and ${modelFrailties.number} = ${placeholder("number")}`,
      ),
  );
  const insertFrailty = engine.write(() =>
    db
      .insert(modelFrailties)
      .values({
        applianceId: placeholder("applianceId"),
        number: placeholder("number"),
        frailty: placeholder("frailty"),
      })
      // An interrupted calibration may have left rows.
      .onConflictDoUpdate({
        target: [modelFrailties.applianceId, modelFrailties.number],
        set: { frailty: sql`excluded.frailty` },
      }),
  );
  // Versions never change, but one that is rolled back, or lost in a failover, leaves its number to another.
  let known: { createdAt: number; version: ModelInUse } | undefined;

  return {
    /** Returns the version that scores are computed with; undefined for the base model. */
    async inUse(): Promise<ModelInUse | undefined> {
      const [current] = await identity({});
      if (!current) return undefined;
      if (known?.version.number !== current.number || known.createdAt !== current.createdAt) {
        const { number, createdAt, base, version, corrections } = (await this.find(current.number))!;
        known = { createdAt, version: { number, base, version, corrections } };
      }
      return known.version;
    },
    async find(number: number): Promise<ModelVersion | undefined> {
      const rows = await db.select().from(modelVersions).where(eq(modelVersions.number, number));
      return rows.map(withName)[0];
    },
    /** Returns all versions, ordered from the newest. */
    async list(): Promise<ModelVersion[]> {
      return (await db.select().from(modelVersions).orderBy(desc(modelVersions.number))).map(withName);
    },
    /** Returns the number of the next version. */
    async nextNumber(): Promise<number> {
      const rows = await db
        .select({ last: sql<number | null>`max(${modelVersions.number})` })
        .from(modelVersions);
      return (rows[0]!.last ?? 0) + 1;
    },
    async insert(version: NewModelVersion & { number: number }): Promise<void> {
      await db.insert(modelVersions).values(version);
    },
    /** Sets the version that scores are computed with; null for the base model. */
    async use(number: number | null): Promise<void> {
      await db.update(modelInUse).set({ number }).where(eq(modelInUse.id, 1));
    },
    async insertFrailty(number: number, applianceId: string, frailty: number): Promise<void> {
      return insertFrailty({ number, applianceId, frailty });
    },
    /**
     * Deletes up to `limit` frailties of a version after an appliance's; returns the last appliance, undefined if there are
     * none.
     */
    async deleteFrailties(number: number, after: string, limit: number): Promise<string | undefined> {
      const { applianceId } = modelFrailties;
      const chosen = await db
        .select({ applianceId })
        .from(modelFrailties)
        .where(and(gt(applianceId, after), eq(modelFrailties.number, number)))
        .orderBy(asc(applianceId))
        .limit(limit);
      const ids = chosen.map((row) => row.applianceId);
      await db
        .delete(modelFrailties)
        .where(and(inArray(applianceId, ids), eq(modelFrailties.number, number)));
      return ids.at(-1);
    },
    /** Returns the stored calibration that is not active; undefined without one. */
    async keptFit(): Promise<StoredFit | undefined> {
      const { id: _one, ...columns } = getTableColumns(modelProposals);
      return (await db.select(columns).from(modelProposals))[0];
    },
    /** Stores a calibration in place of the previous one. */
    async keepFit(fit: StoredFit): Promise<void> {
      await db
        .insert(modelProposals)
        .values({ id: 1, ...fit })
        .onConflictDoUpdate({ target: modelProposals.id, set: { ...fit } });
    },
    async forgetKeptFit(): Promise<void> {
      await db.delete(modelProposals);
    },
    /** Returns the latest calibration that was requested; undefined before the first. */
    async latestCalibration(): Promise<LatestCalibration | undefined> {
      const { id: _one, ...columns } = getTableColumns(latestCalibration);
      return (await db.select(columns).from(latestCalibration))[0];
    },
    /** Replaces the latest calibration. */
    async saveLatestCalibration(calibration: LatestCalibration): Promise<void> {
      await db
        .insert(latestCalibration)
        .values({ id: 1, ...calibration })
        .onConflictDoUpdate({ target: latestCalibration.id, set: { ...calibration } });
    },
    async frailties(number: number, applianceIds: readonly string[]): Promise<Map<string, number>> {
      const rows = await frailties({ number, applianceIds: engine.list(applianceIds) });
      return new Map(rows.map((row) => [row.applianceId, row.frailty]));
    },
    async saveCheck(check: ModelCheck): Promise<void> {
      await db
        .insert(modelChecks)
        .values(check)
        .onConflictDoUpdate({ target: modelChecks.day, set: { ...check } });
      const days = await db
        .select({ day: modelChecks.day })
        .from(modelChecks)
        .orderBy(desc(modelChecks.day))
        .limit(1)
        .offset(CHECKS_KEPT);
      if (days[0]) await db.delete(modelChecks).where(lt(modelChecks.day, days[0].day));
    },
    async latestCheck(): Promise<ModelCheck | undefined> {
      return (await db.select().from(modelChecks).orderBy(desc(modelChecks.day)).limit(1))[0];
    },
  };
}

const withName = (row: Tables["modelVersions"]["$inferSelect"]): ModelVersion => ({
  ...row,
  version: calibratedModelVersion(row.base, row.number),
});
