import { defineCommand } from "../command.ts";

export const openapiCommand = defineCommand({
  examples: ["mainstay openapi > openapi.json"],
  async run({ stdout }) {
    const { partnerApiOperations } = await import("../../http/routes/partner-api-routes.ts");
    const { apiDocumentText } = await import("../../http/routes/api-document-routes.ts");
    const { embeddedKnowledge } = await import("../../knowledge/embedded-knowledge.ts");
    // Only the operations' descriptions are used. None runs here, so their dependencies are not needed.
    const unused = undefined as never;
    const parts = {
      authenticator: unused,
      checkHealth: unused,
      eventStream: unused,
      losses: unused,
      uploads: unused,
      random: unused,
      changed: unused,
    };
    const limits = { bulkItems: 0, photoBytes: 0, photoBytesPerPartner: 0, basePath: "" };
    const address = { publicUrl: "", basePath: "", isSecure: false };
    const knowledge = embeddedKnowledge();
    stdout.write(
      apiDocumentText(knowledge, partnerApiOperations({ knowledge, address, ...limits, ...parts })),
    );
  },
});
