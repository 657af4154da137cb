import type { ComponentHistoryJson } from "../../api-schemas/component-schema.ts";
import type { ExplainedComponentJson } from "../../api-schemas/score-reason-schema.ts";
import { useLoad } from "../browser/use-load.ts";
import { EditComponentRecord } from "../records/edit-component.tsx";
import { recordPath, useRecordsApi } from "../records/page-records-context.ts";
import { ServiceEventRecords } from "../records/service-events-section.tsx";
import { ReportSection } from "../sections/section.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";

/** The record and the service events of a component, to correct. */
export function ConsoleComponentCorrections({ id, onChanged }: { id: string; onChanged: () => void }) {
  const records = useRecordsApi();
  const path = recordPath("components", id);
  const loaded = useLoad(path, async () => ({
    component: await records.read<ExplainedComponentJson>(path),
    events: (await records.read<ComponentHistoryJson>(`${path}/history`)).events,
  }));
  const changed = () => {
    loaded.reload();
    onChanged();
  };
  return (
    <ReportSection
      id="corrections"
      title="Record and service history"
      about="Component and appliance records, newest first. Corrections are in the audit log, before and after."
    >
      <LoadedContent loaded={loaded} what="the service history">
        {({ component, events }) => (
          <>
            <p class="screen">
              <EditComponentRecord component={component} onChanged={changed} />
            </p>
            <ServiceEventRecords events={events} onChanged={changed} />
          </>
        )}
      </LoadedContent>
    </ReportSection>
  );
}
