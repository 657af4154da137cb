import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import {
  flatSmartEvent,
  meterEvent,
  parseFlatSmartEventJson,
  parseMeterEventJson,
  parseSmartEventJson,
  receivedReply,
  serializeReceivedEvent,
  serializeSmartEventResult,
  smartEvent,
  smartEventResultReply,
} from "../../api-schemas/sensor-event-schema.ts";
import type { SmartEvent } from "../../domain/sensor-event.ts";
import { receiveMeterEvent, receiveSmartEvent } from "../../usecases/sensors/receive-sensor-events.ts";
import {
  createdReplies,
  createdReply,
  type Operation,
  type PartnerCall,
  partnerOperation,
} from "../http-operation.ts";

const EVENT = { event_type: "water_leak", severity: "high", sensor_id: "leak-4-kitchen" };
const PROPERTY = { name: "Harbor View Apartments", address: "120 Harbor St", state: "NY" };
const APPLIANCE = { type_id: "water_heater_gas", install_year: 2015, serial: "M291904321" };
const MATCHING =
  "A property or appliance that is not found is created if the required fields are present; otherwise the request is rejected with 400, which lists them. A property is matched by its ID, by your reference, or by name and address provided that city, state and ZIP code do not conflict; an appliance by its ID, by its serial number, or by all of its given fields. A serial number that several appliances share is rejected with 400. The appliance is rescored immediately, and tier changes are sent to your webhook endpoint. An unknown `event_type` is stored, has no effect on scores, and is listed in `warnings`.";

export function sensorOperations(): Operation[] {
  return [
    partnerOperation({
      id: "createMeterEvent",
      method: "POST",
      path: "/v1/meter-event",
      summary: "Send a meter reading",
      description:
        "Stores the reading and forwards it to your webhook endpoint. Meter readings have no effect on scores.",
      tag: "Sensors",
      request: {
        type: meterEvent.type,
        example: {
          appliance_id: "A_01m7xtg2ygf8k9f4t40jrqnxfy",
          metric: "temperature_f",
          value: 148.2,
          unit: "F",
          sensor_id: "t-17",
        },
      },
      replies: createdReplies("The stored reading", receivedReply),
      errors: [404, 409],
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio }) {
        const input = parseMeterEventJson(body);
        return await writePortfolio(async (writer) => {
          const event = await receiveMeterEvent(writer, input);
          return createdReply(addPartnerToJson(serializeReceivedEvent(event), partner.name));
        });
      },
    }),
    partnerOperation({
      id: "createSmartEventV1",
      method: "POST",
      path: "/v1/meter-event/smart",
      summary: "Send a smart sensor event (legacy flat format)",
      description: `The legacy format of \`/meter-event/smart/v2\`: the property and appliance fields are at the top level. ${MATCHING}`,
      tag: "Sensors",
      request: { type: flatSmartEvent.type, example: { ...EVENT, ...PROPERTY, ...APPLIANCE } },
      replies: createdReplies("The result of the event", smartEventResultReply),
      errors: [404, 409],
      body: "json",
      idempotent: true,
      handle: (call) => receive(call, parseFlatSmartEventJson(call.body), "sensor.smart.processed"),
    }),
    partnerOperation({
      id: "createSmartEvent",
      method: "POST",
      path: "/v1/meter-event/smart/v2",
      summary: "Send a smart sensor event",
      description: MATCHING,
      tag: "Sensors",
      request: {
        type: smartEvent.type,
        example: { ...EVENT, property: PROPERTY, appliance: APPLIANCE },
      },
      replies: createdReplies("The result of the event", smartEventResultReply),
      errors: [404, 409],
      body: "json",
      idempotent: true,
      handle: (call) => receive(call, parseSmartEventJson(call.body), "sensor.smart"),
    }),
  ];

  async function receive(
    { partner, writePortfolio }: PartnerCall,
    input: SmartEvent,
    webhook: "sensor.smart" | "sensor.smart.processed",
  ) {
    return await writePortfolio(async (writer) => {
      const outcome = await receiveSmartEvent(writer, input, webhook);
      const { property, appliance } = outcome;
      const place = {
        typeId: appliance.typeId,
        brand: appliance.brand,
        brandTier: appliance.brandTier,
        unitId: appliance.unitId,
        size: appliance.size,
        flags: writer.flagsOf(appliance),
        deficiencies: appliance.deficiencies,
        unitTiming: appliance.unitTiming,
        installYearBasis: appliance.installYearBasis,
        recordsSince: property.recordsSince,
        state: property.state,
        unitCount: property.unitCount,
        grossAreaSqft: property.grossAreaSqft,
        stories: property.stories,
        propertyName: property.name,
        propertyAddress: property.address,
      };
      const prices = await writer.prices();
      const affected = outcome.affected.map((component) => ({ ...component, ...place }));
      return createdReply(
        addPartnerToJson(serializeSmartEventResult(prices, { ...outcome, affected }), partner.name),
      );
    });
  }
}
