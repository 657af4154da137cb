import type { Appliance } from "../../domain/appliance.ts";
import { isComponentOfType } from "../../domain/component.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Property } from "../../domain/property.ts";
import { isRetired, isRetirementDueByRule, type Retirement } from "../../domain/rules/retirement-rule.ts";
import { dayOf, type Instant } from "../../domain/time.ts";
import type { Yield } from "../../event-loop/event-loop.ts";
import type { Store } from "../../store/store.ts";
import { rescoreProperty } from "../rescoring/rescore.ts";
import type { BatchScores } from "../rescoring/rescore-batch.ts";
import { type PortfolioWriter, writePortfolio } from "./portfolio-writer.ts";

/*
 * A retirement takes effect on its day: the numbers of the property's or appliance's rows become negative, so that no list,
 * sum or snapshot reads them, and their shares leave the counters and sums in the same transaction. To bring one back
 * restores its numbers, and with them its places in the lists. The history stays as it is.
 */

/** Appliances taken out or put back between two yields. */
const APPLIANCES_A_STEP = 100;

/** Makes the property's rows follow its stored retirement, and returns it with its number. Scores what remains. */
export async function retireOrRestoreProperty(
  writer: PortfolioWriter,
  property: Property,
): Promise<Property> {
  const { tx } = writer;
  const today = dayOf(tx.now);
  const due = isRetirementDueByRule(property, today);
  if (due === isRetired(property)) return property;
  const turned = { ...property, seq: -property.seq };
  await tx.plans.setListed(property.id, !due);
  if (due) {
    for (let left = true; left; await tx.yieldToEventLoop()) {
      const some = await tx.appliances.ofPropertyAfter(property.id, 0, APPLIANCES_A_STEP);
      await takeOut(writer, some);
      left = some.length === APPLIANCES_A_STEP;
    }
    await writer.switchProperty(property, "out");
  } else {
    await writer.switchProperty(property, "back");
    for (let after = 0, left = true; left; await tx.yieldToEventLoop()) {
      const some = await tx.appliances.retiredOfPropertyAfter(property.id, after, APPLIANCES_A_STEP);
      await putBack(
        writer,
        turned,
        some.filter((appliance) => !isRetirementDueByRule(appliance, today)),
      );
      left = some.length === APPLIANCES_A_STEP;
      after = some.at(-1)?.seq ?? after;
    }
    await rescoreProperty(writer, turned, "all", "history");
  }
  return turned;
}

/**
 * Makes an appliance's rows follow its stored retirement; its property is not retired. Scores what remains, with `scores` by
 * those.
 */
export async function retireOrRestoreAppliance(
  writer: PortfolioWriter,
  property: Property,
  appliance: Appliance,
  scores?: BatchScores,
): Promise<Appliance> {
  const due = isRetirementDueByRule(appliance, dayOf(writer.tx.now));
  if (due === isRetired(appliance)) return appliance;
  if (due) {
    await scores?.settle(property, appliance);
    await takeOut(writer, [appliance]);
  } else await putBack(writer, property, [appliance]);
  // Cascades from and to the appliance change the scores of others.
  if (scores) scores.addWhole(property);
  else await rescoreProperty(writer, property, "all", "history");
  return { ...appliance, seq: -appliance.seq };
}

async function takeOut(writer: PortfolioWriter, appliances: readonly Appliance[]): Promise<void> {
  if (appliances.length === 0) return;
  const ids = appliances.map(({ id }) => id);
  await writer.insertUnscored(ids);
  await writer.switchAppliances(appliances, await writer.tx.components.ofAppliances(ids), "out");
}

async function putBack(
  writer: PortfolioWriter,
  property: Property,
  appliances: readonly Appliance[],
): Promise<void> {
  if (appliances.length === 0) return;
  const { tx, knowledge } = writer;
  const ids = appliances.map(({ id }) => id);
  // The property may have moved to another state meanwhile.
  await tx.components.followAppliances(ids, property);
  const types = new Map(appliances.map(({ id, typeId }) => [id, typeId]));
  const components = (await tx.components.retiredOfAppliances(ids)).filter((component) =>
    isComponentOfType(knowledge, component, types.get(component.applianceId)!),
  );
  await writer.switchAppliances(appliances, components, "back");
}

/** Records a changed retirement in the audit log, before and after. */
export async function auditRetirement(
  writer: PortfolioWriter,
  kind: "property" | "appliance",
  id: string,
  before: Retirement,
  after: Retirement,
): Promise<void> {
  const action = `${kind}.${after.retiredAt === null ? "restore" : "retire"}` as const;
  await writer.auditCorrection(action, id, fieldsOf(before), fieldsOf(after));
}

const fieldsOf = ({ retiredAt, retiredReason }: Retirement) => ({
  retired_at: retiredAt,
  retired_reason: retiredReason,
});

/** Records that a retirement has taken effect on its day. */
async function recordDue(
  { tx, actor, partner }: PortfolioWriter,
  kind: "property" | "appliance",
  row: Retirement & { id: string },
): Promise<void> {
  const action = `${kind}.retired` as const;
  const kept = { partner_id: partner.id };
  const entry = { at: tx.now, actor, action, subject: row.id, partnerId: partner.id };
  await tx.audit.recordOfPartner({ ...entry, kept, values: { ...kept, ...fieldsOf(row) } });
}

type Deps = {
  store: Pick<Store, "read" | "write">;
  knowledge: Knowledge;
  clock: () => Instant;
  yieldNow: Yield;
  signal?: AbortSignal;
};

/** Rows that one read finds. */
const FOUND_AT_ONCE = 100;
/** The actor of retirements whose day has come. */
const SCHEDULE = "schedule";

/** Retires all properties and appliances whose day has come; returns their number. */
export async function retireDueRecords({ store, knowledge, clock, yieldNow, signal }: Deps): Promise<number> {
  const today = dayOf(clock());
  let retired = 0;
  const each = async (
    find: () => Promise<{ id: string; partnerId: string }[]>,
    apply: (writer: PortfolioWriter, id: string) => Promise<void>,
  ) => {
    for (let left = true; left; ) {
      const found = await find();
      left = found.length === FOUND_AT_ONCE;
      for (const { id, partnerId } of found) {
        signal?.throwIfAborted();
        const partner = await store.read.partners.find(partnerId);
        if (!partner) continue;
        await writePortfolio(store.write, knowledge, partner, (writer) => apply(writer, id), SCHEDULE);
        retired++;
        await yieldNow();
      }
    }
  };
  await each(
    () => store.read.properties.retiring(today, FOUND_AT_ONCE),
    async (writer, id) => {
      const property = await writer.tx.properties.find(writer.partner.id, id);
      if (!property || isRetired(property)) return;
      await retireOrRestoreProperty(writer, property);
      await recordDue(writer, "property", property);
    },
  );
  await each(
    () => store.read.appliances.retiring(today, FOUND_AT_ONCE),
    async (writer, id) => {
      const appliance = await writer.tx.appliances.find(writer.partner.id, id);
      if (!appliance || isRetired(appliance)) return;
      const property = await writer.tx.properties.find(writer.partner.id, appliance.propertyId);
      await retireOrRestoreAppliance(writer, property!, appliance);
      await recordDue(writer, "appliance", appliance);
    },
  );
  return retired;
}
