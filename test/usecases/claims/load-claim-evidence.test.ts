import { expect, test } from "bun:test";
import fc from "fast-check";
import { strongestClaims } from "../../../src/domain/scoring/claim-evidence.ts";
import { addDays, dayNumber } from "../../../src/domain/time.ts";
import { yieldToEventLoop } from "../../../src/event-loop/event-loop.ts";
import {
  loadClaimEvidence,
  loadClaimEvidenceOfProperty,
} from "../../../src/usecases/claims/load-claim-evidence.ts";
import { ClaimLog } from "../../../src/usecases/claims/record-claims.ts";
import { knowledge, usePortfolioStore } from "../../support/portfolio-store.ts";
import { runsOnEngine } from "../../support/postgres.ts";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const TODAY = "2026-03-10";
const open = usePortfolioStore();

const aClaim = fc.record({
  claimType: fc.constantFrom("water_damage", "fire_electrical", "equipment_breakdown", "unheard_of"),
  dateOfLoss: fc.constantFrom("2019-01-01", "2023-05-01", "2024-06-01", "2026-03-09"),
  status: fc.constantFrom("open" as const, "closed" as const, "denied" as const),
});
const RECORD = { amountCents: 100, claimNumber: null, carrier: null, description: null };

test("claims read in pages give the same scores as claims read at once, wherever a page ends", async () => {
  const fixture = await open(NOW);
  await fc.assert(
    fc.asyncProperty(
      fc.array(aClaim, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      async (recorded, page) => {
        const [property, other] = [await fixture.addProperty(), await fixture.addProperty()];
        await fixture.write(async (writer) => {
          for (const one of [property, other]) {
            const log = new ClaimLog(writer, one);
            for (const claim of recorded) await log.add({ ...RECORD, ...claim });
            await log.finish();
          }
        });
        const { read } = fixture.store;
        const ids = [property.id, other.id];
        const all = (await loadClaimEvidence(read, knowledge, ids)).get(property.id)!;
        expect(all).toHaveLength(recorded.length);
        const paged = (await loadClaimEvidence(read, knowledge, ids, { atOnce: 0, page })).get(property.id)!;
        const weights = (claims: typeof all, on: string) =>
          strongestClaims(knowledge, claims, dayNumber(on)).map(({ claimType, day, ratio }) => ({
            claimType,
            day,
            ratio,
          }));
        for (const on of [TODAY, "2024-06-01", addDays(TODAY, -365)])
          expect(weights(paged, on)).toEqual(weights(all, on));
        expect(paged.length).toBeLessThanOrEqual(3 * 4 * 3);
        const bytes: number[] = [];
        const listed = await loadClaimEvidenceOfProperty(
          fixture.store,
          property.id,
          yieldToEventLoop,
          (more) => void bytes.push(more),
        );
        expect(listed.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
        expect(bytes.reduce((sum, one) => sum + one)).toBeGreaterThan(100 * recorded.length);
      },
    ),
    { numRuns: runsOnEngine(15) },
  );
});
