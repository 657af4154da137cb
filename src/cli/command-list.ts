import type { CommandEntry } from "./command.ts";

/**
 * All commands, in the order of the help. A command's file is loaded only when its name is typed: the imports of `serve`
 * would add a third of a second to a small command. A command of a group imports its own heavy dependencies in `run`.
 */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "write a commented configuration and create the data folder, key file and database",
    load: async () => (await import("./commands/init-command.ts")).initCommand,
  },
  {
    name: "serve",
    summary: "run the server",
    load: async () => (await import("./commands/serve-command.ts")).serveCommand,
  },
  {
    name: "migrate",
    summary: "run schema migrations (automatic at server start)",
    load: async () => (await import("./commands/migrate-command.ts")).migrateCommand,
  },
  {
    name: "move",
    summary: "move all data from a data folder to PostgreSQL, or back",
    load: async () => (await import("./commands/move-database-command.ts")).moveCommand,
  },
  {
    name: "partner",
    summary: "create and manage partners",
    load: async () => (await import("./commands/partner-command.ts")).partnerCommands,
  },
  {
    name: "deliveries",
    summary: "inspect and resend webhook deliveries",
    load: async () => (await import("./commands/deliveries-command.ts")).deliveryCommands,
  },
  {
    name: "admin",
    summary: "create, list and revoke administrators",
    load: async () => (await import("./commands/admin-command.ts")).adminCommands,
  },
  {
    name: "embed",
    summary: "create and revoke embeddable property reports",
    load: async () => (await import("./commands/embed-command.ts")).embedCommands,
  },
  {
    name: "property",
    summary: "print properties and merge duplicates",
    load: async () => (await import("./commands/property-command.ts")).propertyCommands,
  },
  {
    name: "appliance",
    summary: "print appliances and move them to another property or type",
    load: async () => (await import("./commands/appliance-command.ts")).applianceCommands,
  },
  {
    name: "retire",
    summary: "retire a property or an appliance, or bring it back",
    load: async () => (await import("./commands/retire-command.ts")).retireCommand,
  },
  {
    name: "audit",
    summary: "print changes by operators and administrators, newest first",
    load: async () => (await import("./commands/audit-command.ts")).auditCommand,
  },
  {
    name: "servers",
    summary: "list the servers that share a database, with their status and held leases",
    load: async () => (await import("./commands/servers-command.ts")).serversCommand,
  },
  {
    name: "import",
    summary: "import a portfolio from CSV, XLSX, COBie or BuildingSync files",
    load: async () => (await import("./commands/import-command.ts")).importCommand,
  },
  {
    name: "claim",
    summary: "print and correct insurance claims",
    load: async () => (await import("./commands/claim-command.ts")).claimCommands,
  },
  {
    name: "losses",
    summary: "print expected losses, the worst years and loss drivers",
    load: async () => (await import("./commands/losses-command.ts")).lossesCommand,
  },
  {
    name: "event",
    summary: "print, correct and void service events",
    load: async () => (await import("./commands/service-event-command.ts")).eventCommands,
  },
  {
    name: "component",
    summary: "print and correct components",
    load: async () => (await import("./commands/component-command.ts")).componentCommands,
  },
  {
    name: "plan",
    summary: "print recommended replacements with timing, cost and cost of delay",
    load: async () => (await import("./commands/plan-command.ts")).planCommand,
  },
  {
    name: "costs",
    summary: "compare costs with a partner's own bills, or import its cost book",
    load: async () => (await import("./commands/costs-command.ts")).costsCommand,
  },
  {
    name: "explain",
    summary: "explain a component's score, with what-if scenarios",
    load: async () => (await import("./commands/explain-command.ts")).explainCommand,
  },
  {
    name: "scores",
    summary: "print component scores and their inputs, one line each",
    load: async () => (await import("./commands/scores-command.ts")).scoresCommand,
  },
  {
    name: "export",
    summary: "export all data of a partner as NDJSON, or its equipment as COBie",
    load: async () => (await import("./commands/export-command.ts")).exportCommand,
  },
  {
    name: "backup",
    summary: "back up the database, uploads and key file to one verified file",
    load: async () => (await import("./commands/backup-command.ts")).backupCommand,
  },
  {
    name: "restore",
    summary: "verify a backup and restore it to a new data folder",
    load: async () => (await import("./commands/restore-command.ts")).restoreCommand,
  },
  {
    name: "doctor",
    summary: "check the installation and suggest fixes",
    load: async () => (await import("./commands/doctor-command.ts")).doctorCommand,
  },
  {
    name: "healthcheck",
    summary: "check server health; exits 1 if unhealthy",
    load: async () => (await import("./commands/healthcheck-command.ts")).healthcheckCommand,
  },
  {
    name: "snapshot",
    summary: "take today's snapshot now: score all components and send alerts for tier changes",
    load: async () => (await import("./commands/snapshot-command.ts")).snapshotCommand,
  },
  {
    name: "calibrate",
    summary: "calibrate the model to recorded failures and report how much it improves",
    load: async () => (await import("./commands/calibrate-command.ts")).calibrateCommand,
  },
  {
    name: "demo",
    summary: "run a server with a sample portfolio, a partner and a local webhook endpoint",
    load: async () => (await import("./commands/demo-command.ts")).demoCommand,
  },
  {
    name: "smoke",
    summary: "run an end-to-end test in a temporary folder and print the time of each step",
    load: async () => (await import("./commands/smoke-command.ts")).smokeCommand,
  },
  {
    name: "openapi",
    summary: "print the OpenAPI 3.0.3 document of the API, as GET /v1/openapi.json returns it",
    load: async () => (await import("./commands/openapi-command.ts")).openapiCommand,
  },
  {
    name: "completion",
    summary: "print a shell completion script",
    load: async () => (await import("./commands/completion-command.ts")).completionCommand,
  },
  {
    name: "man",
    summary: "print the manual page of all commands",
    load: async () => (await import("./commands/man-command.ts")).manCommand,
  },
  {
    name: "version",
    summary: "print the version and build of this executable",
    load: async () => (await import("./commands/version-command.ts")).versionCommand,
  },
];
