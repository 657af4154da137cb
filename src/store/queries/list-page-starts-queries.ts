import { and, asc, eq, gt, gte, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Engine } from "../store-engine.ts";
import { aliasedSqlColumns } from "./sql-column-aliases.ts";
import { BLOCK_SIZE, WHOLE_BUCKET } from "./stored-counter-buckets.ts";

const { placeholder } = sql;

/** How many rows of a block of consecutive numbers are retired. */
type RetiredBlock = { block: number; count: number };

/**
 * Finds the beginnings of pages in a partner's numbered list. The numbers of retired rows are negative, so that a list has
 * gaps, which are counted by blocks of numbers (`component_counters`).
 */
export function listPageStartsStore(
  engine: Engine,
  { partnerId, seq }: { partnerId: AnySQLiteColumn; seq: AnySQLiteColumn },
  bucket: number,
) {
  const { db } = engine;
  const { componentCounters } = engine.tables;
  const inBucket = and(
    eq(componentCounters.partnerId, placeholder("partnerId")),
    eq(componentCounters.bucket, placeholder("bucket")),
  );
  const retiredRows = engine.read<{ count: number }>(() =>
    db
      .select(aliasedSqlColumns({ count: componentCounters.count }))
      .from(componentCounters)
      .where(and(inBucket, eq(componentCounters.block, WHOLE_BUCKET))),
  );
  const retiredBlocks = engine.read<RetiredBlock>(() =>
    db
      .select(aliasedSqlColumns({ block: componentCounters.block, count: componentCounters.count }))
      .from(componentCounters)
      .where(and(inBucket, gte(componentCounters.block, 0), gt(componentCounters.count, 0)))
      .orderBy(asc(componentCounters.block)),
  );
  const seqAt = engine.read<{ seq: number }>(() =>
    db
      .select(aliasedSqlColumns({ seq }))
      .from(seq.table)
      .where(and(eq(partnerId, placeholder("partnerId")), gte(seq, placeholder("from"))))
      .orderBy(asc(seq))
      .limit(1)
      .offset(placeholder("skip")),
  );
  /** Most lists have no gaps, which SQLite finds out in less than half the time of reading all blocks. */
  const mayHaveGaps = async (partnerId: string): Promise<boolean> =>
    engine.dialect !== "sqlite" || ((await retiredRows({ partnerId, bucket }))[0]?.count ?? 0) > 0;
  return {
    /** Returns the number that the row at an offset of the list follows. */
    async before(partnerId: string, offset: number): Promise<number> {
      if (offset === 0) return 0;
      const blocks = (await mayHaveGaps(partnerId)) ? await retiredBlocks({ partnerId, bucket }) : [];
      const { from, skip } = storedListPageStartAt(blocks, offset);
      if (skip === 0) return from - 1;
      const [row] = await seqAt({ partnerId, from, skip });
      // Beyond the end of the list.
      return row ? row.seq - 1 : MAX_SEQ;
    },
  };
}

/** The condition that a row is in a range of numbers, whether it is retired or not; `storedSequenceRange` has its values. */
export const isInStoredSequenceRange = (seq: AnySQLiteColumn): SQL =>
  or(
    and(gt(seq, placeholder("after")), lte(seq, placeholder("last"))),
    and(lt(seq, placeholder("minusAfter")), gte(seq, placeholder("minusLast"))),
  )!;

/** Returns the values of `isInStoredSequenceRange` for the numbers from after `after` to `last`. */
export const storedSequenceRange = (after: number, last: number) => ({
  after,
  last,
  minusAfter: -after,
  minusLast: -last,
});

/** Sorts rows in the order of creation, in place. */
export const sortRowsBySequence = <Row extends { seq: number }>(rows: Row[]): Row[] =>
  rows.sort((a, b) => Math.abs(a.seq) - Math.abs(b.seq));

const MAX_SEQ = 2_147_483_647;

/**
 * Returns a number, and how many rows of the list from that number on precede the row at an offset: fewer than a block has.
 * @example
 * storedListPageStartAt([{ block: 0, count: 2 }], 2045) // { from: 2048, skip: 0 }: block 0 has the numbers 1 to 2047
 */
export function storedListPageStartAt(
  retired: readonly RetiredBlock[],
  offset: number,
): { from: number; skip: number } {
  let before = 0;
  for (const { block, count } of retired) {
    const first = Math.max(1, block * BLOCK_SIZE);
    const listedBefore = first - 1 - before;
    if (offset < listedBefore) break;
    const listed = (block + 1) * BLOCK_SIZE - first - count;
    if (offset < listedBefore + listed) return { from: first, skip: offset - listedBefore };
    before += count;
  }
  return { from: Math.min(offset + 1 + before, MAX_SEQ), skip: 0 };
}
