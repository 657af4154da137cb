import { DATABASE_FAULTS } from "./database.ts";
import type { Fault } from "./fault.ts";
import { killing, pausing, stopping } from "./servers.ts";

export const FAULTS: { readonly [name: string]: Fault } = Object.fromEntries(
  [killing, pausing, stopping, ...DATABASE_FAULTS].map((fault) => [fault.name, fault]),
);
