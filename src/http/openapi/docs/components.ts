import { type } from "arktype";
import {
  day,
  envelopeFields,
  ids,
  instant,
  riskScore,
  text,
  tier,
  usd,
  whole,
} from "../../replies/fields.ts";
import {
  alert,
  component,
  eventType,
  historyEvent,
  propertyFields,
  trendPoint,
} from "../../replies/records.ts";
import { type OperationDocs, read } from "./types.ts";

const pathExample = "C_01m7xtg2ygfbvrca1mbjrm54pr";

/** What the stream holds, told apart by `type`. */
const streamed = type({
  type: type.enumerated("property.created"),
  timestamp: instant,
  data: {
    id: ids.property,
    name: text,
    address: text,
    city: text.or("null"),
    state: text,
    source: propertyFields.source,
  },
})
  .or({
    type: type.enumerated("appliance.created"),
    timestamp: instant,
    data: { id: ids.appliance, type_id: text, property_id: ids.property },
  })
  .or({
    type: type.enumerated("service_event.created"),
    timestamp: instant,
    data: {
      id: ids.serviceEvent,
      event_type: eventType,
      appliance_id: ids.appliance,
      total_cost: usd.or("null"),
      date: day,
    },
  })
  .or({
    type: type.enumerated("component.critical", "component.warning"),
    timestamp: instant,
    data: {
      id: ids.component,
      component_name: text,
      component_def_id: text,
      appliance_id: ids.appliance,
      appliance_type: text,
      risk_score: riskScore,
      risk_tier: tier,
      property_id: ids.property,
    },
  });

export const componentDocs: Record<string, OperationDocs> = {
  listComponents: {
    tag: "Components",
    description: "In the order of their creation. The filters may be combined.",
    replies: read("A page of components", type({ components: component.array(), ...envelopeFields })),
    errors: [404],
  },
  getComponentHistory: {
    tag: "Components",
    pathExample,
    replies: read(
      "The component and its events, the newest first",
      type({
        component: {
          id: ids.component,
          component_name: text,
          appliance_id: ids.appliance,
          appliance_type: text,
          install_year: whole,
          last_replaced: day.or("null"),
          last_serviced: day.or("null"),
        },
        events: historyEvent.array(),
        total_events: whole,
        partner: text,
      }),
    ),
  },
  getComponentTrend: {
    tag: "Components",
    pathExample,
    description: "A point for each day on which a snapshot ran while the component existed, for 365 days.",
    replies: read(
      "A page of the trend",
      type({ component_id: ids.component, trend: trendPoint.array(), ...envelopeFields }),
    ),
  },
  listAlerts: {
    tag: "Components",
    replies: read(
      "A page of alerts",
      type({
        alerts: alert.array(),
        critical_count: whole,
        warning_count: whole,
        ...envelopeFields,
      }),
    ),
    errors: [404],
  },
  listEvents: {
    tag: "Events",
    description:
      "History first, by its strictly increasing timestamps; then every component that is CRITICAL or WARNING now, whatever `since` says. Walk the pages until `events` is empty or `offset + limit >= total`, store the latest timestamp for the next call, and drop what was seen before by `data.id`. The history of a walk ends where it ended on its first page: what happens meanwhile comes with the next walk, so that none is passed over.",
    replies: read("A page of the stream", type({ events: streamed.array(), since: text, ...envelopeFields })),
  },
};
