import { hrefTo, type Route } from "../browser/browser-route.ts";
import { EmptyState } from "../widgets/load-states.tsx";
import { AppActionsPage } from "./app-actions-page.tsx";
import { AppAlertsPage } from "./app-alerts-page.tsx";
import { AppAppliancePage } from "./app-appliance-page.tsx";
import { AppComponentPage } from "./app-component-page.tsx";
import { useAppTitle } from "./app-context.ts";
import { AppDeliveriesPage } from "./app-deliveries-page.tsx";
import { AppImportPage } from "./app-import-page.tsx";
import { AppOverviewPage } from "./app-overview-page.tsx";
import { AppPortfolioSchedulePage } from "./app-portfolio-schedule-page.tsx";
import { AppPropertiesPage } from "./app-properties-page.tsx";
import { AppPropertyPage } from "./app-property-page.tsx";
import { AppPropertySchedulePage } from "./app-property-schedule-page.tsx";
import { AppUnderwritingPage } from "./app-underwriting-page.tsx";

/** Renders the page of a route. */
export function AppRouter({ route }: { route: Route }) {
  const [area, id, tab] = route.segments;
  if (area === undefined) return <AppOverviewPage route={route} />;
  if (area === "schedule") return <AppPortfolioSchedulePage route={route} />;
  if (area === "properties" && tab === "schedule") return <AppPropertySchedulePage id={id!} route={route} />;
  if (area === "properties" && tab === "underwriting") return <AppUnderwritingPage id={id!} route={route} />;
  if (area === "properties" && id === undefined) return <AppPropertiesPage route={route} />;
  if (area === "properties") return <AppPropertyPage key={id} id={id!} tab={tab} route={route} />;
  if (area === "appliances" && id !== undefined) return <AppAppliancePage key={id} id={id} />;
  if (area === "components" && id !== undefined) return <AppComponentPage key={id} id={id} />;
  if (area === "actions") return <AppActionsPage route={route} />;
  if (area === "import") return <AppImportPage />;
  if (area === "alerts") return <AppAlertsPage route={route} />;
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
