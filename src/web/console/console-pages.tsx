import { hrefTo, type Route } from "../browser/browser-route.ts";
import { ApplianceRecordDetails } from "../records/appliance-record.tsx";
import { EmptyState } from "../widgets/load-states.tsx";
import { ConsoleAdministratorsPage } from "./console-administrators-page.tsx";
import { ConsoleAuditPage } from "./console-audit-page.tsx";
import { ConsoleBookPage } from "./console-book-page.tsx";
import { ConsoleComponentPage } from "./console-component-page.tsx";
import { ConsoleComponentsPage } from "./console-components-page.tsx";
import { ConsoleCostBookPage } from "./console-cost-book-page.tsx";
import { ConsoleDeliveriesPage } from "./console-deliveries-page.tsx";
import { ConsoleDeliveryPage } from "./console-delivery-page.tsx";
import { ConsoleEmbedsPage } from "./console-embeds-page.tsx";
import { ConsoleJobsPage } from "./console-jobs-page.tsx";
import { ConsoleModelPage } from "./console-model-page.tsx";
import { ConsoleOverviewPage } from "./console-overview-page.tsx";
import { ConsolePartnerPage } from "./console-partner-page.tsx";
import { ConsolePartnersPage } from "./console-partners-page.tsx";
import { ConsolePropertyPage } from "./console-property-page.tsx";
import { ConsoleSettingsPage } from "./console-settings-page.tsx";
import { ConsoleSnapshotsPage } from "./console-snapshots-page.tsx";
import { ConsoleUnderwritingPage } from "./console-underwriting-page.tsx";
import { ConsoleUsagePage } from "./console-usage-page.tsx";

/** Renders the page of a route in the console. */
export function ConsoleRouter({ route }: { route: Route }) {
  const [area = "", id] = route.segments;
  if (area === "") return <ConsoleOverviewPage />;
  if (area === "partners" && id && route.segments[2] === "costs")
    return <ConsoleCostBookPage key={id} id={id} />;
  if (area === "partners")
    return id ? <ConsolePartnerPage key={id} id={id} route={route} /> : <ConsolePartnersPage route={route} />;
  if (area === "deliveries")
    return id ? <ConsoleDeliveryPage key={id} id={id} /> : <ConsoleDeliveriesPage route={route} />;
  if (area === "book")
    return id ? (
      <ConsoleUnderwritingPage key={id} id={id} route={route} />
    ) : (
      <ConsoleBookPage route={route} />
    );
  if (area === "components")
    return id ? <ConsoleComponentPage key={id} id={id} /> : <ConsoleComponentsPage route={route} />;
  if (area === "properties" && id) return <ConsolePropertyPage key={id} id={id} tab={route.segments[2]} />;
  if (area === "appliances" && id) return <ApplianceRecordDetails key={id} id={id} />;
  if (area === "embeds") return <ConsoleEmbedsPage route={route} />;
  if (area === "usage") return <ConsoleUsagePage route={route} />;
  if (area === "snapshots") return <ConsoleSnapshotsPage />;
  if (area === "model") return <ConsoleModelPage />;
  if (area === "jobs") return <ConsoleJobsPage />;
  if (area === "audit") return <ConsoleAuditPage route={route} />;
  if (area === "settings") return <ConsoleSettingsPage route={route} />;
  if (area === "administrators") return <ConsoleAdministratorsPage route={route} />;
  return (
    <EmptyState title="Page not found" isPage>
      <p>
        <a href={hrefTo([])}>Go to overview</a>
      </p>
    </EmptyState>
  );
}
