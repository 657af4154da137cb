import { expect, test } from "bun:test";
import { WorkMarks } from "../../../src/usecases/history/work.ts";
import type { WorkRequest } from "../../../src/wire/work.ts";
import { usePortfolioStore } from "../../support/portfolio-store.ts";

const NOON = Date.parse("2026-03-10T12:00:00Z");
const open = usePortfolioStore();

const BY = { by: "Jo Reed", reason: null };
const OUTCOME = { date: null, eventType: "Repair", totalCostCents: null, conditionAfter: null } as const;

test.each(["open", "done"] as const)(
  "work that is %s is no longer ordered, whatever the clock",
  async (end) => {
    const fixture = await open(NOON);
    const property = await fixture.addProperty();
    const [boiler] = await fixture.addAppliances({
      propertyId: property.id,
      typeId: "boiler",
      installYear: 2000,
    });
    const subject = { applianceId: boiler!.id };
    const mark = (request: WorkRequest) =>
      fixture.write(async (writer) => {
        const marks = new WorkMarks(writer);
        await marks.mark(request);
        await marks.finish();
      });
    await mark({ ...BY, subject, state: "ordered" });
    await fixture.write(async ({ tx }) => {
      const ordered = await tx.work.find(boiler!.id);
      // The clock of another server may be some seconds ahead.
      const place = { partnerId: fixture.partnerId, propertyId: property.id };
      await tx.work.save({ ...ordered!, markedAt: NOON + 5000 }, place);
    });
    await mark(end === "open" ? { ...BY, subject, state: end } : { ...BY, subject, state: end, ...OUTCOME });
    expect(await fixture.store.read.work.find(boiler!.id)).toBeUndefined();
  },
);
