import type { RecordSearchResult } from "../../api-schemas/search-schema.ts";
import type { Knowledge } from "../../domain/domain-knowledge.ts";
import { isRetired } from "../../domain/rules/retirement-rule.ts";
import type { FoundClaim } from "../../store/queries/search-queries.ts";
import type { Stores } from "../../store/stores.ts";

/** The most records of one kind that a search returns. */
export const MOST_FOUND = 8;

type Deps = { read: Stores; knowledge: Knowledge };

/**
 * Returns the records with an ID, a reference or a beginning of a name, address, serial or claim number: those of one
 * partner, or of all.
 */
export async function searchPortfolioRecords(
  { read, knowledge }: Deps,
  partnerId: string | undefined,
  text: string,
): Promise<RecordSearchResult[]> {
  const results = await exact({ read, knowledge }, partnerId, text);
  for (const one of await read.search.properties(partnerId, text, MOST_FOUND))
    results.push(propertyResult(one));
  for (const one of await read.search.appliances(partnerId, text, MOST_FOUND))
    results.push({
      kind: "appliance",
      id: one.id,
      title: knowledge.type(one.typeId).name,
      detail: `${one.serial}, ${one.propertyName}`,
      propertyId: one.propertyId,
      partnerId: one.partnerId,
    });
  for (const one of await read.search.claims(partnerId, text, MOST_FOUND)) results.push(claimResult(one));
  const unique = new Map(results.map((result) => [result.id, result]));
  const ofKinds = Map.groupBy(unique.values(), ({ kind }) => kind);
  return [...ofKinds.values()].flatMap((some) => some.slice(0, MOST_FOUND));
}

const propertyResult = (one: {
  id: string;
  partnerId: string;
  name: string;
  address: string;
  state: string;
}): RecordSearchResult => ({
  kind: "property",
  id: one.id,
  title: one.name,
  detail: `${one.address}, ${one.state}`,
  propertyId: one.id,
  partnerId: one.partnerId,
});

const claimResult = (one: FoundClaim): RecordSearchResult => ({
  kind: "claim",
  id: one.id,
  title: one.claimNumber === null ? "Claim" : `Claim ${one.claimNumber}`,
  detail: `${one.dateOfLoss}, ${one.propertyName}`,
  propertyId: one.propertyId,
  partnerId: one.partnerId,
});

/** Returns the record that a text identifies, and the properties that have it as their reference. */
async function exact(
  { read, knowledge }: Deps,
  ofPartner: string | undefined,
  text: string,
): Promise<RecordSearchResult[]> {
  const referenced = await read.search.propertiesOfReference(ofPartner, text, MOST_FOUND);
  const results: RecordSearchResult[] = [];
  for (const { id, partnerId } of referenced) {
    const property = await read.properties.find(partnerId, id);
    if (property && !isRetired(property)) results.push(propertyResult(property));
  }
  const record = await byId({ read, knowledge }, ofPartner, text);
  return record ? [record, ...results] : results;
}

async function byId(
  { read, knowledge }: Deps,
  ofPartner: string | undefined,
  id: string,
): Promise<RecordSearchResult | undefined> {
  const ownerOfProperty = ofPartner ?? (await read.properties.ownerOf(id));
  const property = ownerOfProperty && (await read.properties.find(ownerOfProperty, id));
  if (property) return propertyResult(property);
  const [appliance] = await read.appliances.list([id]);
  if (appliance && (ofPartner ?? appliance.partnerId) === appliance.partnerId) {
    const place = await read.properties.find(appliance.partnerId, appliance.propertyId);
    return {
      kind: "appliance",
      id: appliance.id,
      title: knowledge.type(appliance.typeId).name,
      detail: place?.name ?? "",
      propertyId: appliance.propertyId,
      partnerId: appliance.partnerId,
    };
  }
  const ownerOfComponent = ofPartner ?? (await read.components.ownerOf(id));
  const component = ownerOfComponent && (await read.components.find(ownerOfComponent, id));
  if (component)
    return {
      kind: "component",
      id: component.id,
      title: knowledge.component(component.defId).name,
      detail: component.propertyName,
      propertyId: component.propertyId,
      partnerId: component.partnerId,
    };
  const claim = await read.search.claim(ofPartner, id);
  return claim && claimResult(claim);
}
