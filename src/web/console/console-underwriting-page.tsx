import type { UnderwritingJson } from "../../api-schemas/underwriting-schema.ts";
import { hrefTo, type Route } from "../browser/browser-route.ts";
import { UnderwritingSections } from "../sections/underwriting-section.tsx";
import { InsuredLayerFields, insuredLayerUrlQuery } from "../widgets/layer-fields.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { DownloadWorkbookButton, pageWorkbookQuery } from "../widgets/workbook-download.tsx";
import { useAdminRead, useConsole, useConsoleTitle } from "./console-context.ts";
import { ConsolePropertyTabs } from "./console-property-page.tsx";

/** The underwriting page of a property, among the book of all partners. */
export function ConsoleUnderwritingPage({ id, route }: { id: string; route: Route }) {
  const { api } = useConsole();
  const path = `/admin/properties/${encodeURIComponent(id)}/underwriting`;
  const query = insuredLayerUrlQuery(route);
  const loaded = useAdminRead<UnderwritingJson & { partner: string }>(`${path}?${query}`, undefined, path);
  useConsoleTitle(`Underwriting${loaded.value ? `, ${loaded.value.property.name}` : ""}`);
  return (
    <>
      <p class="small screen">
        <a href={hrefTo(["book"])}>Book</a>
        {loaded.value && ` · ${loaded.value.partner}`}
      </p>
      <ConsolePropertyTabs id={id} tab="Underwriting" />
      <LoadedContent loaded={loaded} what="the underwriting page" isPage>
        {(made) => (
          <UnderwritingSections made={made} book="book" isLoading={loaded.isLoading}>
            <InsuredLayerFields route={route}>
              <DownloadWorkbookButton
                api={api}
                file={`losses-${id}.xlsx`}
                path={`/admin/property/${encodeURIComponent(id)}/losses?${pageWorkbookQuery(query)}`}
              />
            </InsuredLayerFields>
          </UnderwritingSections>
        )}
      </LoadedContent>
    </>
  );
}
