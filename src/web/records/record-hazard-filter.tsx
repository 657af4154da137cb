import { useLoad } from "../browser/use-load.ts";
import { SelectFilter } from "../widgets/filters.tsx";
import { pageRecordApplianceTypes, useRecordsApi } from "./page-records-context.ts";

/** The filter of properties by a known hazard of their appliances. */
export function RecordHazardFilter({ value, onChange }: { value: string; onChange: (code: string) => void }) {
  const records = useRecordsApi();
  const types = useLoad("types", () => pageRecordApplianceTypes(records));
  const hazards = new Map(
    types.value?.flatMap((type) => type.hazards.map(({ code, label }) => [code, label] as const)),
  );
  return <SelectFilter label="Known hazard" value={value} choices={[...hazards]} onChange={onChange} />;
}
