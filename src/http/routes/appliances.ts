import { type } from "arktype";
import type { Appliance } from "../../domain/appliance.ts";
import { notFound } from "../../domain/errors.ts";
import type { Knowledge } from "../../domain/knowledge.ts";
import { readApplianceChange, readNewAppliance } from "../../shapes/appliance.ts";
import { check, shape } from "../../shapes/check.ts";
import {
  ApplianceIntake,
  type CreatedAppliance,
  changeAppliance,
  createAppliance,
} from "../../usecases/appliances.ts";
import { bulkReply, readItems, takeItems } from "../bulk.ts";
import { created, type Operation, ok, partnerOperation } from "../operation.ts";
import { envelope, parseSlice } from "../query.ts";
import { applianceView, componentStub, componentView } from "../views.ts";
import { getProperty } from "./properties.ts";

const bulkShape = shape(type({ appliances: "unknown[]" }), ["appliances"]);

export function applianceOperations(knowledge: Knowledge, bulkItems: number): Operation[] {
  const types = [...knowledge.types.values()].map((type) => ({
    type_id: type.id,
    name: type.name,
    system: type.system,
    components: type.components.map(({ id, name }) => ({ component_def_id: id, component_name: name })),
  }));

  const applianceRecord = ({ appliance, components }: CreatedAppliance) => ({
    ...applianceView(appliance),
    components: components.map((component) => componentStub(knowledge, component)),
  });

  return [
    partnerOperation({
      id: "listApplianceTypes",
      method: "GET",
      steady: true,
      path: "/v1/appliance-types",
      summary: "The appliance types and their components",
      query: ["limit", "offset"],
      handle({ partner, query }) {
        const slice = parseSlice(query);
        const page = types.slice(slice.offset, slice.offset + slice.limit);
        return ok({ appliance_types: page, ...envelope(slice, types.length, partner.name) });
      },
    }),
    partnerOperation({
      id: "createAppliance",
      method: "POST",
      path: "/v1/appliances",
      summary: "Register an appliance; its components are made from its type and scored",
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio }) {
        const input = readNewAppliance(body);
        return await writePortfolio(async (writer) => {
          const result = await createAppliance(writer, input);
          return created({
            ...applianceRecord(result),
            components_created: result.components.length,
            partner: partner.name,
          });
        });
      },
    }),
    partnerOperation({
      id: "createAppliances",
      method: "POST",
      path: "/v1/appliances/bulk",
      summary: "Register appliances; each good one is kept when its neighbour fails",
      body: "json",
      idempotent: true,
      async handle({ body, partner, writePortfolio }) {
        const items = readItems(check(bulkShape, body).appliances, bulkItems, readNewAppliance);
        return await writePortfolio(async (writer) => {
          const intake = new ApplianceIntake(writer);
          const result = await takeItems(items, writer.tx, (item) => intake.add(item));
          const components = await intake.finish();
          const view = (appliance: Appliance) =>
            applianceRecord({ appliance, components: components.get(appliance.id)! });
          return created({ ...bulkReply(result, view), partner: partner.name });
        });
      },
    }),
    partnerOperation({
      id: "listAppliances",
      method: "GET",
      steady: true,
      path: "/v1/appliances",
      summary: "Appliances, of one property or of all",
      query: ["property_id", "limit", "offset"],
      async handle({ partner, query, store }) {
        const slice = parseSlice(query);
        const propertyId = query.get("property_id");
        if (propertyId === undefined) {
          const { appliances: total } = await store.read.totals.ofPartner(partner.id);
          const page = await store.read.appliances.page(partner.id, slice);
          return ok({ appliances: page.map(applianceView), ...envelope(slice, total, partner.name) });
        }
        await getProperty(store, partner, propertyId);
        const page = await store.read.appliances.pageOfProperty(propertyId, slice);
        const total = await store.read.appliances.countOfProperty(propertyId);
        return ok({ appliances: page.map(applianceView), ...envelope(slice, total, partner.name) });
      },
    }),
    partnerOperation({
      id: "getAppliance",
      method: "GET",
      steady: true,
      path: "/v1/appliances/{id}",
      summary: "An appliance with its components",
      async handle({ params, partner, store }) {
        const appliance = await store.read.appliances.find(partner.id, params.id!);
        if (!appliance) throw notFound("Appliance not found");
        const settledAt = await store.read.snapshots.settledAt();
        const components = await store.read.components.rowsOfAppliance(appliance.id);
        return ok({
          ...applianceView(appliance),
          components: components.map((row) => componentView(knowledge, row, settledAt)),
          partner: partner.name,
        });
      },
    }),
    partnerOperation({
      id: "updateAppliance",
      method: "PUT",
      path: "/v1/appliances/{id}",
      summary: "Change any of an appliance's fields but its type and property",
      body: "json",
      async handle({ body, params, partner, writePortfolio }) {
        const change = readApplianceChange(body);
        return await writePortfolio(async (writer) => {
          const result = await changeAppliance(writer, params.id!, change);
          return ok({ ...applianceRecord(result), partner: partner.name });
        });
      },
    }),
  ];
}
