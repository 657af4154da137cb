import type { Knowledge } from "../../domain/knowledge.ts";
import { isRetired } from "../../domain/retirement.ts";
import type { FoundClaim } from "../../store/queries/search.ts";
import type { Stores } from "../../store/stores.ts";
import type { SearchResultJson } from "../../wire/search.ts";

/** The most records of one kind that a search returns. */
const MOST = 8;

type Deps = { read: Stores; knowledge: Knowledge };

/** Returns the partner's records with an ID, a reference or a beginning of a name, address, serial or claim number. */
export async function search(
  { read, knowledge }: Deps,
  partnerId: string,
  text: string,
): Promise<SearchResultJson[]> {
  const results = await exact({ read, knowledge }, partnerId, text);
  for (const one of await read.search.properties(partnerId, text, MOST)) results.push(propertyResult(one));
  for (const one of await read.search.appliances(partnerId, text, MOST))
    results.push({
      kind: "appliance",
      id: one.id,
      title: knowledge.type(one.typeId).name,
      detail: `${one.serial}, ${one.propertyName}`,
      property_id: one.propertyId,
    });
  for (const one of await read.search.claims(partnerId, text, MOST)) results.push(claimResult(one));
  const unique = new Map(results.map((result) => [result.id, result]));
  return [...unique.values()];
}

const propertyResult = (one: {
  id: string;
  name: string;
  address: string;
  state: string;
}): SearchResultJson => ({
  kind: "property",
  id: one.id,
  title: one.name,
  detail: `${one.address}, ${one.state}`,
  property_id: one.id,
});

const claimResult = (one: FoundClaim): SearchResultJson => ({
  kind: "claim",
  id: one.id,
  title: one.claimNumber === null ? "Claim" : `Claim ${one.claimNumber}`,
  detail: `${one.dateOfLoss}, ${one.propertyName}`,
  property_id: one.propertyId,
});

/** Returns the record that a text identifies. */
async function exact(
  { read, knowledge }: Deps,
  partnerId: string,
  text: string,
): Promise<SearchResultJson[]> {
  const property =
    (await read.properties.find(partnerId, text)) ?? (await read.properties.findByReference(partnerId, text));
  if (property && !isRetired(property)) return [propertyResult(property)];
  const appliance = await read.appliances.find(partnerId, text);
  if (appliance) {
    const place = await read.properties.find(partnerId, appliance.propertyId);
    return [
      {
        kind: "appliance",
        id: appliance.id,
        title: knowledge.type(appliance.typeId).name,
        detail: place?.name ?? "",
        property_id: appliance.propertyId,
      },
    ];
  }
  const component = await read.components.find(partnerId, text);
  if (!component) {
    const claim = await read.search.claim(partnerId, text);
    return claim ? [claimResult(claim)] : [];
  }
  return [
    {
      kind: "component",
      id: component.id,
      title: knowledge.component(component.defId).name,
      detail: component.propertyName,
      property_id: component.propertyId,
    },
  ];
}
