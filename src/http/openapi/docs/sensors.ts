import { type } from "arktype";
import { flatSmartEventShape, meterEventShape, smartEventShape } from "../../../shapes/sensor-event.ts";
import { ids, text, whole } from "../../replies/fields.ts";
import { component } from "../../replies/records.ts";
import { createdReply, type OperationDocs } from "./types.ts";

const outcome = type({
  event_id: ids.sensorEvent,
  event_type: text,
  property_id: ids.property,
  appliance_id: ids.appliance,
  property_created: "boolean",
  appliance_created: "boolean",
  affected_components: component.array(),
  risk_summary: { components_scored: whole, critical_count: whole, warning_count: whole },
  warnings: text.array(),
  partner: text,
});

const happening = { event_type: "water_leak", severity: "high", sensor_id: "leak-4-kitchen" };
const property = { name: "Harbor View Apartments", address: "120 Harbor St", state: "NY" };
const appliance = { type_id: "water_heater_gas", install_year: 2015, serial: "M291904321" };
const rules =
  "A property or appliance that is not found is registered when the fields for that are there, else the answer is a 400 that names them. A property is found by its id, by the partner's reference, or by name and address where city, state and ZIP code do not differ; an appliance by its id, its serial, or all that is said of it. A serial that several appliances have is a 400. The appliance is scored again at once, and tier changes are announced. An event_type that is not known is stored, moves no score, and is named in `warnings`.";

export const sensorDocs: Record<string, OperationDocs> = {
  createMeterEvent: {
    tag: "Sensors",
    request: meterEventShape.type,
    example: {
      appliance_id: "A_01m7xtg2ygf8k9f4t40jrqnxfy",
      metric: "temperature_f",
      value: 148.2,
      unit: "F",
      sensor_id: "t-17",
    },
    replies: createdReply(
      "The reading was stored",
      type({
        event_id: ids.sensorEvent,
        received: "true",
        property_id: ids.property,
        appliance_id: ids.appliance,
        partner: text,
      }),
    ),
    errors: [404],
  },
  createSmartEventV1: {
    tag: "Sensors",
    description: `The older flat form of \`/meter-event/smart/v2\`: the fields of property and appliance stand at the top. ${rules}`,
    request: flatSmartEventShape.type,
    example: { ...happening, ...property, ...appliance },
    replies: createdReply("What the event came to", outcome),
    errors: [404],
  },
  createSmartEvent: {
    tag: "Sensors",
    description: rules,
    request: smartEventShape.type,
    example: { ...happening, property, appliance },
    replies: createdReply("What the event came to", outcome),
    errors: [404],
  },
};
