import { serializeEmbedUrl } from "../../api-schemas/embed-schema.ts";
import type { Day } from "../../domain/time.ts";
import type { DemoData } from "./prepare-demo-command.ts";

/** The data that is printed when the demo is ready. */
export type DemoSummary = {
  data: DemoData;
  url: string;
  /** The base URL of the API, with the base path. */
  apiUrl: string;
  adminUrl: string;
  webhookUrl: string;
  tries: readonly ExampleRequest[];
};

type ExampleRequest = { comment: string; curl: string };

/** Returns three requests that work as printed. The last one triggers webhooks. */
export function demoExampleRequests(
  { credentials, riskiest }: DemoData,
  apiUrl: string,
  today: Day,
  behindProxy: boolean,
): ExampleRequest[] {
  const curl = `curl -s ${behindProxy ? "--noproxy '*' " : ""}-H 'X-Api-Key: ${credentials.api_key}'`;
  const events = [
    {
      appliance_id: riskiest.applianceId,
      component_id: riskiest.id,
      event_type: "Replacement",
      date: today,
      total_cost: 1450,
    },
  ];
  return [
    { comment: "Highest-risk components", curl: `${curl} '${apiUrl}/v1/alerts?limit=3'` },
    {
      comment: `Summary of ${riskiest.propertyName}`,
      curl: `${curl} '${apiUrl}/v1/property/${riskiest.propertyId}/summary'`,
    },
    {
      comment: "Replace its riskiest component; the webhooks appear below",
      curl: `${curl} -H 'Content-Type: application/json' '${apiUrl}/v1/service-events/bulk' -d '${JSON.stringify({ events })}'`,
    },
  ];
}

/** Returns what the demo prints once it serves: URLs, credentials and examples. */
export function demoCommandText(demo: DemoSummary): string {
  const { data, apiUrl, adminUrl, webhookUrl, tries } = demo;
  const { credentials, totals, snapshot } = data;
  const rows = [
    ["Portfolio", portfolioText(data)],
    [
      "Snapshot",
      snapshot.alreadyDone
        ? `${snapshot.date} already exists; no new alerts`
        : `${snapshot.date}: ${count(snapshot.announced)} tier changes`,
    ],
    ["", `${count(totals.critical)} critical and ${count(totals.warning)} warning components`],
    [],
    ["Property report", pageUrl(demo)],
    ["Portfolio app", `${appUrl(demo)} (sign in with the API key)`],
    ["Console", `${consoleUrl(demo)} (sign in with the admin key)`],
    [],
    ["API", apiUrl],
    ["Admin API", adminUrl],
    ["Webhooks", `${webhookUrl} (this process)`],
    [],
    ["Partner", `${credentials.partner_id}  ${credentials.name}`],
    ["API key", credentials.api_key],
    ["Client ID", credentials.client_id],
    ["Client secret", credentials.client_secret],
    ["Webhook secret", credentials.webhook_secret],
    ["Admin key", credentials.admin_key],
    ["Saved in", data.credentialsFile],
  ];
  return [
    "Mainstay demo",
    "",
    ...rows.map(([name = "", value = ""]) => `${name.padEnd(17)}${value}`.trimEnd()),
    "",
    "Try:",
    ...tries.flatMap(({ comment, curl }) => ["", `# ${comment}`, curl]),
    "",
    "Press Ctrl-C to stop. Received webhooks:",
    "",
    "",
  ].join("\n");
}

/** Returns the URL of the demo property's report. */
const pageUrl = ({ data, apiUrl }: DemoSummary) => serializeEmbedUrl(apiUrl, data.credentials.embed_token);

const appUrl = ({ apiUrl }: DemoSummary) => `${apiUrl}/embed/app`;
const consoleUrl = ({ adminUrl }: DemoSummary) => `${adminUrl}/console`;

/** Returns what the demo prints with `--json`: the data of `demoCommandText`. */
export function demoCommandJson(demo: DemoSummary) {
  const { data, url, apiUrl, adminUrl, webhookUrl, tries } = demo;
  const { properties, appliances, components, serviceEvents } = data.totals;
  return {
    url,
    api_url: apiUrl,
    admin_url: adminUrl,
    webhook_url: webhookUrl,
    page_url: pageUrl(demo),
    app_url: appUrl(demo),
    console_url: consoleUrl(demo),
    ...data.credentials,
    credentials_file: data.credentialsFile,
    demo_property_id: data.riskiest.propertyId,
    properties,
    appliances,
    components,
    service_events: serviceEvents,
    announced: data.snapshot.alreadyDone ? 0 : data.snapshot.announced,
    curl: tries.map((exampleRequest) => exampleRequest.curl),
  };
}

function portfolioText({ totals, riskiest }: DemoData): string {
  const { properties, appliances, components, serviceEvents } = totals;
  return (
    `${count(properties - 1)} New York City buildings and ${riskiest.propertyName}: ` +
    `${count(appliances)} appliances, ${count(components)} components, ${count(serviceEvents)} service events`
  );
}

const count = (number: number) => number.toLocaleString("en-US");
