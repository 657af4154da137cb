import { hrefTo, type Route } from "../browser/route.ts";
import { EmptyState } from "../widgets/load-states.tsx";
import { ActionsPage } from "./actions-page.tsx";
import { AlertsPage } from "./alerts-page.tsx";
import { AppComponentPage } from "./app-component-page.tsx";
import { useAppTitle } from "./app-context.ts";
import { AppDeliveriesPage } from "./app-deliveries-page.tsx";
import { AppOverviewPage } from "./app-overview-page.tsx";
import { PropertiesPage } from "./app-properties-page.tsx";
import { AppPropertyPage } from "./app-property-page.tsx";
import { AppUnderwritingPage } from "./app-underwriting-page.tsx";
import { AppliancePage } from "./appliance-page.tsx";
import { ImportPage } from "./import-page.tsx";
import { PortfolioSchedulePage } from "./portfolio-schedule-page.tsx";
import { PropertySchedulePage } from "./property-schedule-page.tsx";

/** Renders the page of a route. */
export function AppRouter({ route }: { route: Route }) {
  const [area, id, tab] = route.segments;
  if (area === undefined) return <AppOverviewPage route={route} />;
  if (area === "schedule") return <PortfolioSchedulePage route={route} />;
  if (area === "properties" && tab === "schedule") return <PropertySchedulePage id={id!} route={route} />;
  if (area === "properties" && tab === "underwriting") return <AppUnderwritingPage id={id!} route={route} />;
  if (area === "properties" && id === undefined) return <PropertiesPage route={route} />;
  if (area === "properties") return <AppPropertyPage key={id} id={id!} tab={tab} route={route} />;
  if (area === "appliances" && id !== undefined) return <AppliancePage key={id} id={id} />;
  if (area === "components" && id !== undefined) return <AppComponentPage key={id} id={id} />;
  if (area === "actions") return <ActionsPage route={route} />;
  if (area === "import") return <ImportPage />;
  if (area === "alerts") return <AlertsPage route={route} />;
  if (area === "deliveries") return <AppDeliveriesPage route={route} />;
  return <NotFoundPage />;
}

function NotFoundPage() {
  useAppTitle("Page not found");
  return (
    <EmptyState title="Page not found" isPage>
      <p>
        The link may be incomplete. <a href={hrefTo([])}>Go to overview</a>.
      </p>
    </EmptyState>
  );
}
