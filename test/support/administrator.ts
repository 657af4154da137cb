import { ApiClient } from "./client.ts";
import type { Json } from "./json.ts";
import type { Installation, Partner } from "./mainstay.ts";
import { recordSecretsIn } from "./secret-record.ts";

export type Administrator = { id: string; name: string; key: string; client: ApiClient };

/** Creates an administrator, with a client of the administrators' listener. */
export async function createAdministrator(
  server: Installation,
  name = "Night shift",
): Promise<Administrator> {
  const { admin_id: id, admin_key: key } = await server.json("admin", "create", name);
  return { id, name, key, client: adminClient(server, { "x-api-key": key }) };
}

/** Creates a partner by an administrator's request, which costs a tenth of what a command does. */
export async function createPartnerBy(
  { client }: Administrator,
  fields: { name: string; webhook_url?: string; daily_budget?: number },
): Promise<Partner> {
  const { body } = await client.post("/admin/partners", fields, 201);
  recordSecretsIn(JSON.stringify(body));
  return body;
}

/** Creates an embed of a property by an administrator's request. */
export async function createEmbedBy({ client }: Administrator, property_id: string): Promise<Json> {
  const { body } = await client.post("/admin/embeds", { property_id }, 201);
  recordSecretsIn(JSON.stringify(body));
  return body;
}

/** Returns a client of the administrators' listener with any credential. */
export function adminClient(server: Installation, credential: Record<string, string>): ApiClient {
  return new ApiClient(
    () => server.adminUrl,
    credential,
    () =>
      server.log
        .slice(-20)
        .map((line) => JSON.stringify(line))
        .join("\n"),
  );
}
