import { hrefTo, type Route } from "../browser/route.ts";
import { EmptyState } from "../widgets/load-states.tsx";
import { ActionsPage } from "./actions-page.tsx";
import { AlertsPage } from "./alerts-page.tsx";
import { ComponentPage } from "./app-component-page.tsx";
import { useAppTitle } from "./app-context.ts";
import { DeliveriesPage } from "./app-deliveries-page.tsx";
import { OverviewPage } from "./app-overview-page.tsx";
import { PropertiesPage } from "./app-properties-page.tsx";
import { PropertyPage } from "./app-property-page.tsx";
import { UnderwritingPage } from "./app-underwriting-page.tsx";
import { AppliancePage } from "./appliance-page.tsx";
import { ImportPage } from "./import-page.tsx";
import { PortfolioSchedulePage } from "./portfolio-schedule-page.tsx";
import { PropertySchedulePage } from "./property-schedule-page.tsx";

/** Renders the page of a route. */
export function AppRouter({ route }: { route: Route }) {
  const [area, id, tab] = route.segments;
  if (area === undefined) return <OverviewPage route={route} />;
  if (area === "schedule") return <PortfolioSchedulePage route={route} />;
  if (area === "properties" && tab === "schedule") return <PropertySchedulePage id={id!} route={route} />;
  if (area === "properties" && tab === "underwriting") return <UnderwritingPage id={id!} route={route} />;
  if (area === "properties" && id === undefined) return <PropertiesPage route={route} />;
  if (area === "properties") return <PropertyPage key={id} id={id!} tab={tab} route={route} />;
  if (area === "appliances" && id !== undefined) return <AppliancePage key={id} id={id} />;
  if (area === "components" && id !== undefined) return <ComponentPage key={id} id={id} />;
  if (area === "actions") return <ActionsPage route={route} />;
  if (area === "import") return <ImportPage />;
  if (area === "alerts") return <AlertsPage route={route} />;
  if (area === "deliveries") return <DeliveriesPage route={route} />;
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
