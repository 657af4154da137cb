import { expect } from "bun:test";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { adminClient, createAdministrator } from "./administrator.ts";
import type { ApiClient } from "./client.ts";
import { eventually } from "./eventually.ts";
import type { Json } from "./json.ts";
import type { Installation, Settings } from "./mainstay.ts";
import type { Reply } from "./reply.ts";

export const KEY_FILE = "mainstay.key";

/** Starts a server on the database of that address, with the key of another server where one is given. */
export const serverStarter =
  (install: (settings: Settings) => Installation) =>
  async (url: string, keyOf?: Installation, settings: Settings = {}): Promise<Installation> => {
    const server = install({ ...settings, storage: { url } });
    if (keyOf) {
      mkdirSync(server.dataDir, { recursive: true, mode: 0o700 });
      copyFileSync(join(keyOf.dataDir, KEY_FILE), join(server.dataDir, KEY_FILE));
    }
    await server.start();
    return server;
  };

/** An administrator of several servers on one database. */
export type AdministeredServers = {
  key: string;
  /** The administrator's clients, one per server. */
  at: ApiClient[];
  /** Sends the same request to the first two servers at once, twice each. */
  asked(path: string, body?: Json): Promise<Reply[]>;
  /** Returns the audit entries of a subject, the newest first. */
  actionsOn(subject: string): Promise<string[]>;
  /** Waits until every server gives the same answer, and returns it. */
  everywhere(path: string, isWanted?: (reported: Json) => void): Promise<Json>;
};

export async function administerServers(servers: readonly Installation[]): Promise<AdministeredServers> {
  const { key } = await createAdministrator(servers[0]!);
  const at = servers.map((server) => adminClient(server, { "x-api-key": key }));
  return {
    key,
    at,
    asked: (path, body) =>
      Promise.all([0, 1, 0, 1].map((nth) => at[nth]!.send("POST", path, body === undefined ? {} : { body }))),
    async actionsOn(subject) {
      const { body } = await at[0]!.get("/admin/audit", { subject, limit: 200 });
      return body.entries.map(({ action }: Json) => action);
    },
    everywhere: (path, isWanted = () => {}) =>
      eventually(async () => {
        const reported: Json[] = [];
        for (const client of at) reported.push((await client.get(path)).body);
        isWanted(reported[0]!);
        for (const one of reported) expect(one).toEqual(reported[0]);
        return reported[0]!;
      }),
  };
}

export const statusesOf = (replies: readonly Reply[]): number[] =>
  replies.map(({ status }) => status).toSorted();
