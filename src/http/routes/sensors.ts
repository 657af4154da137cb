import type { Knowledge } from "../../domain/knowledge.ts";
import {
  readFlatSmartEvent,
  readMeterEvent,
  readSmartEvent,
  type SmartEvent,
} from "../../shapes/sensor-event.ts";
import { receiveMeterEvent, receiveSmartEvent, type SmartOutcome } from "../../usecases/sensor-events.ts";
import { created, type Operation, type PartnerCall, partnerOperation, type Reply } from "../operation.ts";
import { componentView } from "../views.ts";

export function sensorOperations(knowledge: Knowledge): Operation[] {
  return [
    partnerOperation({
      id: "createMeterEvent",
      method: "POST",
      path: "/v1/meter-event",
      summary: "Send a meter reading; it is stored and passed on, and moves no score",
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio }) {
        const input = readMeterEvent(body);
        return await writePortfolio(async (writer) => {
          const event = await receiveMeterEvent(writer, input);
          return created({
            event_id: event.id,
            received: true,
            property_id: event.propertyId,
            appliance_id: event.applianceId,
            partner: partner.name,
          });
        });
      },
    }),
    partnerOperation({
      id: "createSmartEventV1",
      method: "POST",
      path: "/v1/meter-event/smart",
      summary: "Send a smart event in the older flat form",
      body: "json",
      idempotent: true,
      handle: (call) => receive(call, readFlatSmartEvent(call.body), "sensor.smart.processed"),
    }),
    partnerOperation({
      id: "createSmartEvent",
      method: "POST",
      path: "/v1/meter-event/smart/v2",
      summary: "Send a smart event; what it names is registered when missing, and scored at once",
      body: "json",
      idempotent: true,
      handle: (call) => receive(call, readSmartEvent(call.body), "sensor.smart"),
    }),
  ];

  async function receive(
    { partner, writePortfolio }: PartnerCall,
    input: SmartEvent,
    told: "sensor.smart" | "sensor.smart.processed",
  ): Promise<Reply> {
    return await writePortfolio(async (writer) => {
      const outcome = await receiveSmartEvent(writer, input, told);
      return created(outcomeView(outcome, partner.name));
    });
  }

  function outcomeView(outcome: SmartOutcome, partner: string) {
    const { event, property, appliance, affected, warnings } = outcome;
    const row = {
      typeId: appliance.typeId,
      brand: appliance.brand,
      brandTier: appliance.brandTier,
      unitId: appliance.unitId,
      propertyName: property.name,
      propertyAddress: property.address,
    };
    return {
      event_id: event.id,
      event_type: event.eventType,
      property_id: property.id,
      appliance_id: appliance.id,
      property_created: outcome.propertyCreated,
      appliance_created: outcome.applianceCreated,
      affected_components: affected.map((one) => componentView(knowledge, { ...one, ...row }, null)),
      risk_summary: outcome.summary,
      warnings,
      partner,
    };
  }
}
