import { hrefTo, type Route } from "../browser/route.ts";
import { ApplianceDetails } from "../records/appliance-record.tsx";
import { EmptyState } from "../widgets/load-states.tsx";
import { AdministratorsPage } from "./administrators-page.tsx";
import { AuditPage } from "./audit-page.tsx";
import { BookOfBusinessPage } from "./book-page.tsx";
import { ConsoleComponentsPage } from "./components-page.tsx";
import { ConsoleComponentPage } from "./console-component-page.tsx";
import { ConsoleDeliveriesPage } from "./console-deliveries-page.tsx";
import { ConsoleOverviewPage } from "./console-overview-page.tsx";
import { ConsolePropertyPage } from "./console-property-page.tsx";
import { ConsoleUnderwritingPage } from "./console-underwriting-page.tsx";
import { CostBookPage } from "./cost-book-page.tsx";
import { ConsoleDeliveryPage } from "./delivery-page.tsx";
import { EmbedsPage } from "./embeds-page.tsx";
import { JobsPage } from "./jobs-page.tsx";
import { CalibrationModelPage } from "./model-page.tsx";
import { PartnerPage } from "./partner-page.tsx";
import { PartnersPage } from "./partners-page.tsx";
import { ConsoleSnapshotsPage } from "./score-snapshots-page.tsx";
import { SettingsPage } from "./settings-page.tsx";
import { UsagePage } from "./usage-page.tsx";

/** Renders the page of a route in the console. */
export function ConsoleRouter({ route }: { route: Route }) {
  const [area = "", id] = route.segments;
  if (area === "") return <ConsoleOverviewPage />;
  if (area === "partners" && id && route.segments[2] === "costs") return <CostBookPage key={id} id={id} />;
  if (area === "partners")
    return id ? <PartnerPage key={id} id={id} route={route} /> : <PartnersPage route={route} />;
  if (area === "deliveries")
    return id ? <ConsoleDeliveryPage key={id} id={id} /> : <ConsoleDeliveriesPage route={route} />;
  if (area === "book")
    return id ? (
      <ConsoleUnderwritingPage key={id} id={id} route={route} />
    ) : (
      <BookOfBusinessPage route={route} />
    );
  if (area === "components")
    return id ? <ConsoleComponentPage key={id} id={id} /> : <ConsoleComponentsPage route={route} />;
  if (area === "properties" && id) return <ConsolePropertyPage key={id} id={id} tab={route.segments[2]} />;
  if (area === "appliances" && id) return <ApplianceDetails key={id} id={id} />;
  if (area === "embeds") return <EmbedsPage route={route} />;
  if (area === "usage") return <UsagePage route={route} />;
  if (area === "snapshots") return <ConsoleSnapshotsPage />;
  if (area === "model") return <CalibrationModelPage />;
  if (area === "jobs") return <JobsPage />;
  if (area === "audit") return <AuditPage route={route} />;
  if (area === "settings") return <SettingsPage route={route} />;
  if (area === "administrators") return <AdministratorsPage route={route} />;
  return (
    <EmptyState title="Page not found" isPage>
      <p>
        <a href={hrefTo([])}>Go to overview</a>
      </p>
    </EmptyState>
  );
}
