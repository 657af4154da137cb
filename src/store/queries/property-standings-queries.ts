import { and, eq, ne, sql } from "drizzle-orm";
import type { LossStanding } from "../../domain/losses/loss-ranking.ts";
import type { Day } from "../../domain/time.ts";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";

const { placeholder } = sql;

/** How a property stands among its portfolio and the book, as of the snapshot of a day. */
export type PropertyStanding = { propertyId: string; day: Day; portfolio: LossStanding; book: LossStanding };

/** Reads and writes how properties stand among others. */
export function propertyStandingStore(engine: Engine) {
  const { db } = engine;
  const { properties, propertyStandings: t } = engine.tables;
  const add = engine.insertRow(t, "all");
  const drop = engine.write(() => db.delete(t).where(engine.isAmong(t.propertyId, "ids")));
  const dropOther = engine.write(() =>
    db.delete(t).where(and(eq(t.partnerId, placeholder("partnerId")), ne(t.day, placeholder("day")))),
  );
  const known = engine.read<{ id: string }>(() =>
    db
      .select(aliasedSqlColumns({ id: properties.id }))
      .from(properties)
      .where(engine.isAmong(properties.id, "ids")),
  );
  const ofProperty = engine.prepared(() =>
    db
      .select()
      .from(t)
      .where(eq(t.propertyId, placeholder("propertyId"))),
  );
  return {
    async ofProperty(propertyId: string): Promise<PropertyStanding | undefined> {
      const [row] = await ofProperty().execute({ propertyId });
      return (
        row && {
          propertyId,
          day: row.day,
          portfolio: {
            others: row.portfolioOthers,
            lowerExpected: row.portfolioLowerExpected,
            lowerDamage: row.portfolioLowerDamage,
          },
          book: {
            others: row.bookOthers,
            lowerExpected: row.bookLowerExpected,
            lowerDamage: row.bookLowerDamage,
          },
        }
      );
    },
    /** Stores the standings of some of a partner's properties, without those that a purge has deleted meanwhile. */
    async replace(partnerId: string, standings: readonly PropertyStanding[]): Promise<void> {
      const ids = engine.list(standings.map(({ propertyId }) => propertyId));
      const left = new Set((await known({ ids })).map(({ id }) => id));
      await drop({ ids });
      for (const { propertyId, day, portfolio, book } of standings)
        if (left.has(propertyId))
          await add({
            propertyId,
            partnerId,
            day,
            portfolioOthers: portfolio.others,
            portfolioLowerExpected: portfolio.lowerExpected,
            portfolioLowerDamage: portfolio.lowerDamage,
            bookOthers: book.others,
            bookLowerExpected: book.lowerExpected,
            bookLowerDamage: book.lowerDamage,
          });
    },
    /** Deletes a partner's standings of other days: of properties that have been retired since, or that have no components. */
    async keepOnly(partnerId: string, day: Day): Promise<void> {
      await dropOther({ partnerId, day });
    },
  };
}
