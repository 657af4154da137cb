import type { Caller, Request } from "./caller.ts";
import type { Database } from "./database.ts";
import type { Fleet } from "./fleet.ts";
import type { Random } from "./random.ts";
import type { Record } from "./record.ts";

export type Partner = { partner_id: string; api_key: string };

/** Everything that those who take part in a round have to do with. */
export type World = {
  random: Random;
  fleet: Fleet;
  /** Where the storage is one that faults can be done to. */
  database: Database | undefined;
  caller: Caller;
  record: Record;
  /** Those whose clients write, and who are told by webhooks. */
  partners: readonly Partner[];
  /** Whose budget is small. */
  metered: Partner;
  /** Whose key is changed all the time. */
  revoked: Partner;
  /** Who has a portfolio that a snapshot has much to do with. */
  scored: Partner;
  administrator: Request["credential"];
};

export const credentialOf = ({ api_key }: Partner): Request["credential"] => ({ "x-api-key": api_key });
