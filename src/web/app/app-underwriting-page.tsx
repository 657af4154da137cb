import type { UnderwritingJson } from "../../api-schemas/underwriting-schema.ts";
import { hrefTo, type Route } from "../browser/browser-route.ts";
import { useLoad } from "../browser/use-load.ts";
import { usePrintFooter } from "../browser/use-print-footer.ts";
import { formatPageDate } from "../page/page-format.ts";
import { truncatedPageName } from "../page/page-print-footer.ts";
import { UnderwritingSections } from "../sections/underwriting-section.tsx";
import { Breadcrumbs } from "../widgets/breadcrumbs.tsx";
import { InsuredLayerFields, insuredLayerUrlQuery } from "../widgets/layer-fields.tsx";
import { LoadedContent } from "../widgets/load-states.tsx";
import { DownloadWorkbookButton, pageWorkbookQuery } from "../widgets/workbook-download.tsx";
import { useApp, useAppTitle } from "./app-context.ts";

/** The printable underwriting page of a property. */
export function AppUnderwritingPage({ id, route }: { id: string; route: Route }) {
  const { api } = useApp();
  const query = insuredLayerUrlQuery(route);
  const path = `/v1/property/${encodeURIComponent(id)}/underwriting`;
  const loaded = useLoad(`${id} ${query}`, () => api.read<UnderwritingJson>(`${path}?${query}`), id);
  const { value } = loaded;
  const title = `Underwriting${value ? `, ${value.property.name}` : ""}`;
  useAppTitle(title);
  usePrintFooter(
    value
      ? `${truncatedPageName(value.property.name)} · Underwriting, ${formatPageDate(value.losses.as_of)}`
      : "Underwriting",
  );
  return (
    <>
      <Breadcrumbs
        links={[
          ["Properties", hrefTo(["properties"])],
          [value?.property.name ?? "Property", hrefTo(["properties", id])],
        ]}
      />
      <LoadedContent loaded={loaded} what="the underwriting page" isPage>
        {(made) => (
          <UnderwritingSections made={made} book="portfolio" isLoading={loaded.isLoading}>
            <InsuredLayerFields route={route}>
              <DownloadWorkbookButton
                api={api}
                file={`losses-${id}.xlsx`}
                path={`/v1/property/${encodeURIComponent(id)}/losses?${pageWorkbookQuery(query)}`}
              />
            </InsuredLayerFields>
          </UnderwritingSections>
        )}
      </LoadedContent>
    </>
  );
}
