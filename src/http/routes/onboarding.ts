import { createDemoProperty } from "../../usecases/create-demo-property.ts";
import { withPartner } from "../../wire/paging.ts";
import { demoPropertyReply, demoPropertyView } from "../../wire/property.ts";
import { created, creates, type Operation, partnerOperation } from "../operation.ts";

export function onboardingOperations(): Operation[] {
  return [
    partnerOperation({
      id: "createDemoProperty",
      method: "POST",
      path: "/onboarding/demo-property",
      summary: "A property with appliances, ten years of service events and a claim, to try everything on",
      description: "One to a partner: a second is a 409. It is left out of billing.",
      tag: "Onboarding",
      replies: creates("The demo property", demoPropertyReply),
      errors: [409],
      async handle({ partner, writePortfolio }) {
        return await writePortfolio(async (writer) => {
          return created(withPartner(demoPropertyView(await createDemoProperty(writer)), partner.name));
        });
      },
    }),
  ];
}
