import { createDemoProperty } from "../../usecases/create-demo-property.ts";
import { created, type Operation, partnerOperation } from "../operation.ts";
import { propertyView } from "../views.ts";

export function onboardingOperations(): Operation[] {
  return [
    partnerOperation({
      id: "createDemoProperty",
      method: "POST",
      path: "/onboarding/demo-property",
      summary: "A property with appliances, ten years of service events and a claim, to try everything on",
      async handle({ partner, writePortfolio }) {
        return await writePortfolio(async (writer) => {
          const { property, appliances, components } = await createDemoProperty(writer);
          return created({ ...propertyView(property), appliances, components, partner: partner.name });
        });
      },
    }),
  ];
}
