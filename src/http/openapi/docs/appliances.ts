import { type } from "arktype";
import { applianceChangeShape, newApplianceShape } from "../../../shapes/appliance.ts";
import { eventType, idText } from "../../../shapes/fields.ts";
import { newServiceEventShape } from "../../../shapes/service-event.ts";
import { bulkFields, envelopeFields, text, whole } from "../../replies/fields.ts";
import { appliance, applianceFields, component, componentStub, serviceEvent } from "../../replies/records.ts";
import { createdReply, type OperationDocs, read } from "./types.ts";

const pathExample = "A_01m7xtg2ygf8k9f4t40jrqnxfy";
const example = {
  property_id: "P_01m7xtfcg7e14a5g7edqadn8kz",
  type_id: "water_heater_gas",
  install_year: 2015,
  brand: "Rheem",
  model: "XG40T06",
  serial: "M291904321",
};
/** An event that is kept, rather than one whose refusal names it by its position. */
export const loggedEvent = newServiceEventShape.type.merge({ appliance_id: idText, event_type: eventType });
const stubs = { components: componentStub.array() } as const;

export const applianceDocs: Record<string, OperationDocs> = {
  listApplianceTypes: {
    tag: "Appliances",
    replies: read(
      "A page of appliance types",
      type({
        appliance_types: type({
          type_id: text,
          name: text,
          system: text,
          components: type({ component_def_id: text, component_name: text }).array(),
        }).array(),
        ...envelopeFields,
      }),
    ),
  },
  createAppliance: {
    tag: "Appliances",
    description:
      "Registers an appliance. Its components are made from its type and scored at once. `brand_tier` follows from the brand unless it is given.",
    request: newApplianceShape.type,
    example,
    replies: createdReply(
      "The appliance and its components",
      type({ ...applianceFields, ...stubs, components_created: whole, partner: text }),
    ),
    errors: [404],
  },
  createAppliances: {
    tag: "Appliances",
    description:
      "Registers up to 1,000 appliances. Each good one is kept when its neighbour fails; the created records stand under `events`.",
    request: type({ appliances: newApplianceShape.type.array() }),
    example: { appliances: [example] },
    replies: createdReply(
      "What was registered and what was refused",
      type({
        ...bulkFields,
        events: type({ ...applianceFields, ...stubs }).array(),
        partner: text,
      }),
    ),
  },
  listAppliances: {
    tag: "Appliances",
    replies: read("A page of appliances", type({ appliances: appliance.array(), ...envelopeFields })),
    errors: [404],
  },
  getAppliance: {
    tag: "Appliances",
    pathExample,
    replies: read(
      "The appliance with its components",
      type({ ...applianceFields, components: component.array(), partner: text }),
    ),
  },
  updateAppliance: {
    tag: "Appliances",
    description:
      "Takes any subset of the fields but type_id and property_id, which never change; null clears an optional one. A change of `install_year` moves the components that had the appliance's year.",
    request: applianceChangeShape.type,
    example: { usage_intensity: 1.4 },
    pathExample,
    replies: {
      200: {
        description: "The appliance as it is now",
        shape: type({ ...applianceFields, ...stubs, partner: text }),
      },
    },
  },
  createServiceEvents: {
    tag: "Service events",
    description:
      "Logs up to 1,000 service events. Each good one is kept when its neighbour fails. Scores are worked out again before the answer. Retry only what `error_details` names. A part that was replaced under warranty is logged as a Warranty Claim and a Replacement of the same day.",
    request: type({ events: loggedEvent.array() }),
    example: {
      events: [
        {
          appliance_id: pathExample,
          event_type: "Preventive Maintenance",
          date: "2026-10-02",
          technician: "J. Ortiz",
          parts_cost: 40,
          labor_cost: 180,
          condition_after: "good",
          notes: "Flushed the tank",
        },
      ],
    },
    replies: createdReply(
      "What was logged and what was refused",
      type({ ...bulkFields, events: serviceEvent.array(), partner: text }),
    ),
  },
};
