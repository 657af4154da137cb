import { useId, useState } from "preact/hooks";
import type { PropertyPageJson, PropertyRowJson } from "../../api-schemas/property-schema.ts";
import { postalAddressLine } from "../../domain/places/postal-address.ts";
import { useLoad } from "../browser/use-load.ts";
import { formatPageCount } from "../page/page-format.ts";
import { LoadedContent } from "../widgets/load-states.tsx";
import { type PartnerOwned, useRecordsApi } from "./page-records-context.ts";

/** The name of the field with the chosen property's ID. */
export const PICKED_PROPERTY_FIELD = "picked";

/** Fields of a form that find a property by words in its name or address, and choose it. */
export function RecordPropertyPicker(props: {
  legend: string;
  owner: PartnerOwned;
  /** The property that is left out, if any. */
  except?: string;
  /** The words of the first search. */
  words?: string;
  isRequired?: boolean;
  /** Called with the property that is chosen, and without one when another search removes it. */
  onPick?: (property: PropertyRowJson | undefined) => void;
}) {
  const { legend, owner, except, words = "", isRequired = false, onPick } = props;
  const records = useRecordsApi();
  const [searched, setSearched] = useState(words);
  const id = useId();
  const search = (text: string) => {
    if (text.trim() === searched) return;
    setSearched(text.trim());
    onPick?.(undefined);
  };
  const path = records.propertiesPath(searched, owner);
  const found = useLoad(path, () => records.read<PropertyPageJson>(path));
  return (
    <fieldset class="picker">
      <legend>{legend}</legend>
      <label for={id}>Search by name or address</label>
      <input
        id={id}
        type="search"
        maxLength={100}
        defaultValue={words}
        onChange={(event) => search(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // Enter searches; it does not confirm the dialog.
          event.preventDefault();
          search(event.currentTarget.value);
        }}
      />
      <LoadedContent loaded={found} what="the properties">
        {({ properties, total }) => {
          const others = properties.filter((one) => one.id !== except);
          return (
            <>
              {others.map((one) => (
                <Choice property={one} isRequired={isRequired} onPick={() => onPick?.(one)} />
              ))}
              <p class="small muted" role="status">
                {others.length === 0
                  ? `No ${except === undefined ? "" : "other "}property matches these words.`
                  : total > properties.length &&
                    `${formatPageCount(total, "property", "properties")} found. Add words to narrow the search.`}
              </p>
            </>
          );
        }}
      </LoadedContent>
    </fieldset>
  );
}

/** A property in a list of all partners names its partner. */
type Found = PropertyRowJson & { partner?: string };

function Choice(props: { property: Found; isRequired: boolean; onPick: () => void }) {
  const { property, isRequired, onPick } = props;
  const { id, name, partner } = property;
  return (
    <label>
      <input type="radio" name={PICKED_PROPERTY_FIELD} value={id} required={isRequired} onChange={onPick} />
      <span>
        <bdi>{name}</bdi>
        <span class="small muted under">
          <bdi>{postalAddressLine(property)}</bdi>
          {partner !== undefined && (
            <>
              {" · "}
              <bdi>{partner}</bdi>
            </>
          )}
        </span>
      </span>
    </label>
  );
}
