import type { Entry } from "./command.ts";

/**
 * Every command, in the order of the help. A command's file is loaded when its word is typed: what `serve` needs would
 * cost a small command a third of a second. What one command of several under a word needs alone, it imports in its `run`.
 */
export const COMMANDS: readonly Entry[] = [
  {
    name: "init",
    summary: "write a commented configuration; make the data folder, the key file and the database",
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
  {
    name: "serve",
    summary: "run the server",
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  {
    name: "migrate",
    summary: "bring the database's schema up to date; the server does so by itself at its start",
    load: async () => (await import("./commands/migrate.ts")).migrateCommand,
  },
  {
    name: "move",
    summary: "move all data to PostgreSQL, or from there to a data folder",
    load: async () => (await import("./commands/move.ts")).moveCommand,
  },
  {
    name: "partner",
    summary: "create and administer partners",
    load: async () => (await import("./commands/partner.ts")).partnerCommands,
  },
  {
    name: "deliveries",
    summary: "look into webhook deliveries and send them again",
    load: async () => (await import("./commands/deliveries.ts")).deliveryCommands,
  },
  {
    name: "admin",
    summary: "create and administer administrators",
    load: async () => (await import("./commands/admin.ts")).adminCommands,
  },
  {
    name: "embed",
    summary: "make and end pages of single properties for iframes",
    load: async () => (await import("./commands/embed.ts")).embedCommands,
  },
  {
    name: "audit",
    summary: "print what operators and administrators changed, the newest first",
    load: async () => (await import("./commands/audit.ts")).auditCommand,
  },
  {
    name: "servers",
    summary: "list the servers that share one database: who is alive, and what each holds",
    load: async () => (await import("./commands/servers.ts")).serversCommand,
  },
  {
    name: "import",
    summary: "add a portfolio from CSV files",
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
  {
    name: "plan",
    summary: "print what to replace, when, what it costs, and what waiting costs",
    load: async () => (await import("./commands/plan.ts")).planCommand,
  },
  {
    name: "explain",
    summary: "say how a component's score came about, and what would change it",
    load: async () => (await import("./commands/explain.ts")).explainCommand,
  },
  {
    name: "scores",
    summary: "print every component's score with what it follows from, a line each",
    load: async () => (await import("./commands/scores.ts")).scoresCommand,
  },
  {
    name: "export",
    summary: "write everything that a partner owns, one JSON object a line",
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  {
    name: "backup",
    summary: "write the database, the uploads and the key file into one checked file; the server may run",
    load: async () => (await import("./commands/backup.ts")).backupCommand,
  },
  {
    name: "restore",
    summary: "make a data folder from a backup, after checking all of it",
    load: async () => (await import("./commands/backup.ts")).restoreCommand,
  },
  {
    name: "doctor",
    summary: "check the installation, and say what to do about what is wrong",
    load: async () => (await import("./commands/doctor.ts")).doctorCommand,
  },
  {
    name: "healthcheck",
    summary: "ask the running server for its health; exit 1 when it is not well",
    load: async () => (await import("./commands/healthcheck.ts")).healthcheckCommand,
  },
  {
    name: "snapshot",
    summary: "take today's snapshot now: score every component, announce what crossed a tier",
    load: async () => (await import("./commands/snapshot.ts")).snapshotCommand,
  },
  {
    name: "calibrate",
    summary: "fit the model to the failures on record, and show with proof what that is worth",
    load: async () => (await import("./commands/calibrate.ts")).calibrateCommand,
  },
  {
    name: "demo",
    summary: "serve a real sample portfolio, with a partner, credentials and a webhook receiver to try it on",
    load: async () => (await import("./commands/demo.ts")).demoCommand,
  },
  {
    name: "smoke",
    summary: "try the whole journey in a scratch folder, and print how long each step took",
    load: async () => (await import("./commands/smoke.ts")).smokeCommand,
  },
  {
    name: "openapi",
    summary: "print the API's OpenAPI 3.0.3 document, as GET /v1/openapi.json serves it",
    load: async () => (await import("./commands/openapi.ts")).openapiCommand,
  },
  {
    name: "completion",
    summary: "print a script that completes commands and options in a shell",
    load: async () => (await import("./commands/completion.ts")).completionCommand,
  },
  {
    name: "man",
    summary: "print the manual page of all commands",
    load: async () => (await import("./commands/man.ts")).manCommand,
  },
  {
    name: "version",
    summary: "print what this executable was built from",
    load: async () => (await import("./commands/version.ts")).versionCommand,
  },
];
