import { addPartnerToJson } from "../../api-schemas/paging-schema.ts";
import { demoPropertyReply, serializeDemoProperty } from "../../api-schemas/property-schema.ts";
import { createDemoProperty } from "../../usecases/demo-property/create-demo-property.ts";
import { createdReplies, createdReply, type Operation, partnerOperation } from "../http-operation.ts";

export function demoPropertyOperations(): Operation[] {
  return [
    partnerOperation({
      id: "createDemoProperty",
      method: "POST",
      path: "/onboarding/demo-property",
      summary: "Create a demo property",
      description:
        "Creates a property with appliances, ten years of service events and a claim, to test your integration with. Each partner can have one; creating a second is rejected with 409. It is not billed.",
      tag: "Onboarding",
      replies: createdReplies("The demo property", demoPropertyReply),
      errors: [409],
      async handle({ partner, writePortfolio }) {
        return await writePortfolio(async (writer) => {
          return createdReply(
            addPartnerToJson(serializeDemoProperty(await createDemoProperty(writer)), partner.name),
          );
        });
      },
    }),
  ];
}
