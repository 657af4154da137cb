/*
 * Writes the tables of settings into the manual anew: `bun test/docs/renew.ts`. To be run after config.example.toml
 * or what a setting accepts was changed.
 */
import { writeFileSync } from "node:fs";
import { MANUAL, readManual, withSettings } from "./manual.ts";

writeFileSync(MANUAL, withSettings(readManual()));
