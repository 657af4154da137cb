import type { Day } from "../../domain/time.ts";
import { embedUrl } from "../../wire/embed.ts";
import type { DemoData } from "./data.ts";

/** What is shown when the demo is ready. */
export type Demo = {
  data: DemoData;
  url: string;
  /** With the base path, as a partner is told it. */
  apiUrl: string;
  adminUrl: string;
  webhookUrl: string;
  tries: readonly Try[];
};

export type Try = { comment: string; curl: string };

/** Three requests that work as they stand; the last one makes a webhook arrive. */
export function triesOf(
  { credentials, riskiest }: DemoData,
  apiUrl: string,
  today: Day,
  behindProxy: boolean,
): Try[] {
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
    { comment: "What needs attention first", curl: `${curl} '${apiUrl}/v1/alerts?limit=3'` },
    {
      comment: `${riskiest.propertyName} at a glance`,
      curl: `${curl} '${apiUrl}/v1/property/${riskiest.propertyId}/summary'`,
    },
    {
      comment: "Replace its riskiest component, and see the webhooks of it arrive below",
      curl: `${curl} -H 'Content-Type: application/json' '${apiUrl}/v1/service-events/bulk' -d '${JSON.stringify({ events })}'`,
    },
  ];
}

export function demoText(demo: Demo): string {
  const { data, apiUrl, adminUrl, webhookUrl, tries } = demo;
  const { credentials, totals, snapshot } = data;
  const rows = [
    ["Portfolio", portfolioText(data)],
    [
      "Snapshot",
      snapshot.alreadyDone
        ? `of ${snapshot.date} was taken before; nothing is announced again`
        : `of ${snapshot.date}: ${count(snapshot.announced)} tier changes to announce`,
    ],
    ["", `${count(totals.critical)} critical, ${count(totals.warning)} warning components now`],
    [],
    ["Property page", pageUrl(demo)],
    [],
    ["API", apiUrl],
    ["Administration", adminUrl],
    ["Webhooks go to", `${webhookUrl}, which is here`],
    [],
    ["Partner", `${credentials.partner_id}  ${credentials.name}`],
    ["API key", credentials.api_key],
    ["Client id", credentials.client_id],
    ["Client secret", credentials.client_secret],
    ["Webhook secret", credentials.webhook_secret],
    ["Admin key", credentials.admin_key],
    ["Kept in", data.credentialsFile],
  ];
  return [
    "Mainstay demo",
    "",
    ...rows.map(([name = "", value = ""]) => `${name.padEnd(16)}${value}`.trimEnd()),
    "",
    "Try:",
    ...tries.flatMap(({ comment, curl }) => ["", `# ${comment}`, curl]),
    "",
    "Ctrl-C stops it. Webhooks, as they arrive:",
    "",
    "",
  ].join("\n");
}

/** Where the demo property is shown to people. */
const pageUrl = ({ data, apiUrl }: Demo) => embedUrl(apiUrl, data.credentials.embed_token);

/** The same for machines. */
export function demoRecord(demo: Demo) {
  const { data, url, apiUrl, adminUrl, webhookUrl, tries } = demo;
  const { properties, appliances, components, serviceEvents } = data.totals;
  return {
    url,
    api_url: apiUrl,
    admin_url: adminUrl,
    webhook_url: webhookUrl,
    page_url: pageUrl(demo),
    ...data.credentials,
    credentials_file: data.credentialsFile,
    demo_property_id: data.riskiest.propertyId,
    properties,
    appliances,
    components,
    service_events: serviceEvents,
    announced: data.snapshot.alreadyDone ? 0 : data.snapshot.announced,
    curl: tries.map((one) => one.curl),
  };
}

function portfolioText({ totals, riskiest }: DemoData): string {
  const { properties, appliances, components, serviceEvents } = totals;
  return (
    `${count(properties - 1)} buildings of New York City and ${riskiest.propertyName}: ` +
    `${count(appliances)} appliances, ${count(components)} components, ${count(serviceEvents)} service events`
  );
}

const count = (number: number) => number.toLocaleString("en-US");
