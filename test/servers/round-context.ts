import type { Caller, Request } from "./caller.ts";
import type { Database } from "./database.ts";
import type { Fleet } from "./fleet.ts";
import type { Observations } from "./observations.ts";
import type { SeededRandom } from "./seeded-random.ts";

export type Partner = { partner_id: string; api_key: string };

/** The environment of everyone who takes part in a round. */
export type RoundContext = {
  random: SeededRandom;
  fleet: Fleet;
  /** The database for faults, where the storage has one. */
  database: Database | undefined;
  caller: Caller;
  record: Observations;
  /** The partners whose clients write and who receive webhooks. */
  partners: readonly Partner[];
  /** The partner with a small budget. */
  metered: Partner;
  /** The partner whose key changes all the time. */
  revoked: Partner;
  /** The partner with a portfolio large enough for a long snapshot. */
  scored: Partner;
  administrator: Request["credential"];
};

export const credentialOf = ({ api_key }: Partner): Request["credential"] => ({ "x-api-key": api_key });
