import { type OperationAt, operationsOf, readApiDocument, resolve, type Schema } from "./api-document.ts";
import type { ApiClient } from "./client.ts";
import type { Json } from "./json.ts";
import type { RecordIds } from "./records.ts";

const document = readApiDocument();
const operations = operationsOf(document);

export type JsonBody = { method: OperationAt["method"]; path: string; schema: Schema; example: Json };

/** Every JSON body that a partner sends, by its operation; a list of claims counts as a body. */
export const JSON_BODIES: readonly JsonBody[] = operations
  .filter(({ operation }) => operation.security?.length !== 0)
  .flatMap(({ method, path, operation }) => {
    const content = operation.requestBody?.content["application/json"];
    if (!content) return [];
    const body: JsonBody = { method, path, schema: content.schema, example: content.example };
    const list = resolve<Schema>(document, content.schema).anyOf?.[1];
    return list ? [body, { ...body, schema: list, example: { claims: [body.example] } }] : [body];
  });

/** The document's example of the body, with ids that exist. */
export const goodBody = ({ example }: JsonBody, things: RecordIds): Json =>
  JSON.parse(JSON.stringify(example).replaceAll(/([A-Z]+_)[0-9a-z]{26}/g, (_, prefix) => things[prefix]!));

/** The prefix of the path's ids; `photo` for a photo's name, undefined for a path without parameters. */
export function kindIn(path: string, name?: string): string | undefined {
  const parameters = operations.find((one) => one.path === path)!.operation.parameters ?? [];
  const example = parameters.find(
    (one) => one.in === "path" && (name === undefined || one.name === name),
  )?.example;
  return example === undefined ? undefined : (prefixOf(example) ?? "photo");
}

export const prefixOf = (id: unknown) => /^[A-Z]+_/.exec(String(id))?.[0];

/** Returns the path with IDs that exist. */
export const pathOf = (path: string, things: RecordIds) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => things[kindIn(path, name)!]!);

export const asJson = (raw: string) => ({ raw, headers: { "content-type": "application/json" } });

/** Reads everything that a partner can read of these records and of its portfolio. */
export async function everythingOf(client: ApiClient, things: RecordIds): Promise<Json[]> {
  const paths = [
    "/v1/portfolio/summary",
    "/v1/properties/{P_}",
    "/v1/property/{P_}/units",
    "/v1/property/{P_}/claims",
    "/v1/cost-book",
    "/v1/appliances/{A_}",
    "/v1/appliances/{A_}/photos",
    "/v1/components",
    "/v1/components/{C_}",
    "/v1/components/{C_}/history",
    "/v1/service-events/{SE_}",
    "/v1/events?since=2020-01-01",
  ];
  const asked = paths.map((path) => client.get(path.replace(/\{(\w+)\}/, (_, prefix) => things[prefix]!)));
  return (await Promise.all(asked)).map(({ body }) => body);
}
