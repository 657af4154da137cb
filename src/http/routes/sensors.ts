import type { Knowledge } from "../../domain/knowledge.ts";
import type { SmartEvent } from "../../domain/sensor-event.ts";
import { receiveMeterEvent, receiveSmartEvent } from "../../usecases/sensor-events.ts";
import { withPartner } from "../../wire/paging.ts";
import {
  flatSmartEvent,
  meterEvent,
  outcomeReply,
  outcomeView,
  readFlatSmartEvent,
  readMeterEvent,
  readSmartEvent,
  receivedReply,
  receivedView,
  smartEvent,
} from "../../wire/sensor-event.ts";
import { created, creates, type Operation, type PartnerCall, partnerOperation } from "../operation.ts";

const HAPPENING = { event_type: "water_leak", severity: "high", sensor_id: "leak-4-kitchen" };
const PROPERTY = { name: "Harbor View Apartments", address: "120 Harbor St", state: "NY" };
const APPLIANCE = { type_id: "water_heater_gas", install_year: 2015, serial: "M291904321" };
const RULES =
  "A property or appliance that is not found is registered when the fields for that are there, else the answer is a 400 that names them. A property is found by its id, by the partner's reference, or by name and address where city, state and ZIP code do not differ; an appliance by its id, its serial, or all that is said of it. A serial that several appliances have is a 400. The appliance is scored again at once, and tier changes are announced. An event_type that is not known is stored, moves no score, and is named in `warnings`.";

export function sensorOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "createMeterEvent",
      method: "POST",
      path: "/v1/meter-event",
      summary: "Send a meter reading; it is stored and passed on, and moves no score",
      tag: "Sensors",
      request: {
        form: meterEvent.type,
        example: {
          appliance_id: "A_01m7xtg2ygf8k9f4t40jrqnxfy",
          metric: "temperature_f",
          value: 148.2,
          unit: "F",
          sensor_id: "t-17",
        },
      },
      replies: creates("The reading was stored", receivedReply),
      errors: [404],
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio }) {
        const input = readMeterEvent(body);
        return await writePortfolio(async (writer) => {
          const event = await receiveMeterEvent(writer, input);
          return created(withPartner(receivedView(event), partner.name));
        });
      },
    }),
    partnerOperation({
      id: "createSmartEventV1",
      method: "POST",
      path: "/v1/meter-event/smart",
      summary: "Send a smart event in the older flat form",
      description: `The older flat form of \`/meter-event/smart/v2\`: the fields of property and appliance stand at the top. ${RULES}`,
      tag: "Sensors",
      request: { form: flatSmartEvent.type, example: { ...HAPPENING, ...PROPERTY, ...APPLIANCE } },
      replies: creates("What the event came to", outcomeReply),
      errors: [404],
      body: "json",
      idempotent: true,
      handle: (call) => receive(call, readFlatSmartEvent(call.body), "sensor.smart.processed"),
    }),
    partnerOperation({
      id: "createSmartEvent",
      method: "POST",
      path: "/v1/meter-event/smart/v2",
      summary: "Send a smart event; what it names is registered when missing, and scored at once",
      description: RULES,
      tag: "Sensors",
      request: {
        form: smartEvent.type,
        example: { ...HAPPENING, property: PROPERTY, appliance: APPLIANCE },
      },
      replies: creates("What the event came to", outcomeReply),
      errors: [404],
      body: "json",
      idempotent: true,
      handle: (call) => receive(call, readSmartEvent(call.body), "sensor.smart"),
    }),
  ];

  async function receive(
    { partner, writePortfolio }: PartnerCall,
    input: SmartEvent,
    told: "sensor.smart" | "sensor.smart.processed",
  ) {
    return await writePortfolio(async (writer) => {
      const outcome = await receiveSmartEvent(writer, input, told);
      const { property, appliance } = outcome;
      const place = {
        typeId: appliance.typeId,
        brand: appliance.brand,
        brandTier: appliance.brandTier,
        unitId: appliance.unitId,
        propertyName: property.name,
        propertyAddress: property.address,
      };
      const affected = outcome.affected.map((component) => ({ ...component, ...place }));
      return created(withPartner(outcomeView(knowledge, { ...outcome, affected }), partner.name));
    });
  }
}
