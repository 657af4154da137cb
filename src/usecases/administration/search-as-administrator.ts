import type { AdminSearchResult } from "../../api-schemas/admin-search-schema.ts";
import type { EffectiveSetting } from "../../config/effective-setting.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import type { Stores } from "../../store/stores.ts";
import { MOST_FOUND, searchPortfolioRecords } from "../portfolio/search-portfolio-records.ts";

type Deps = { read: Stores; knowledge: Knowledge; settings: readonly EffectiveSetting[] };

/**
 * Returns what an administrator may look for by a text: partners by a part of their name, endpoints by a part of their
 * URL, settings by a part of their name or meaning, partners' records by how a text begins, and all by their IDs.
 */
export async function searchAsAdministrator(deps: Deps, text: string): Promise<AdminSearchResult[]> {
  const { read } = deps;
  const partners = new Map((await read.partners.list()).map(({ id, name }) => [id, name]));
  const has = (one: string) => one.toLowerCase().includes(text.toLowerCase());
  const of = (partnerId: string) => partners.get(partnerId) ?? partnerId;
  const found: AdminSearchResult[] = [];
  const add = (some: Iterable<AdminSearchResult>) => {
    found.push(...Iterator.from(some).take(MOST_FOUND));
  };

  add(await operatorRecords(read, text, of));
  add(
    [...partners]
      .filter(([id, name]) => has(name) || id === text)
      .map(([id, title]) => ({ kind: "partner", id, title, detail: id, propertyId: null })),
  );
  add(
    (await read.partners.listEndpoints()).flatMap(({ partnerId, url }) =>
      url !== null && has(url)
        ? [{ kind: "endpoint", id: partnerId, title: url, detail: of(partnerId), propertyId: null } as const]
        : [],
    ),
  );
  for (const { partnerId, detail, ...record } of await searchPortfolioRecords(deps, undefined, text))
    found.push({ ...record, detail: [detail, of(partnerId)].filter(Boolean).join(", ") });
  add(
    deps.settings
      .filter(({ key, description }) => has(key) || has(description))
      .map(({ key, description }) => ({
        kind: "setting",
        id: key,
        title: key,
        detail: description,
        propertyId: null,
      })),
  );
  return found;
}

/** Returns the delivery, the embed and the changes of the audit log that an ID identifies. */
async function operatorRecords(
  read: Stores,
  id: string,
  of: (partnerId: string) => string,
): Promise<AdminSearchResult[]> {
  const found: AdminSearchResult[] = [];
  const delivery = (await read.deliveryLog.find(id))?.delivery;
  if (delivery) {
    const { partnerId, event, status } = delivery;
    found.push({
      kind: "delivery",
      id,
      title: `${event}, ${status}`,
      detail: of(partnerId),
      propertyId: null,
    });
  }
  const embed = await read.embeds.find(id);
  if (embed) {
    const { partnerId, propertyId, label } = embed;
    found.push({ kind: "embed", id, title: label ?? "Embed", detail: of(partnerId), propertyId });
  }
  const changes = await read.audit.count({ subject: id });
  if (changes > 0) {
    const detail = changes === 1 ? "1 change" : `${changes} changes`;
    found.push({ kind: "audit", id, title: `Audit log of ${id}`, detail, propertyId: null });
  }
  return found;
}
