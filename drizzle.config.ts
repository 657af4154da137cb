import { defineConfig } from "drizzle-kit";

/** Used to draft migrations only: `bunx drizzle-kit generate`. What is applied is `migrations/sqlite/`, mended by hand. */
export default defineConfig({
  dialect: "sqlite",
  schema: "./src/store/sqlite/sqlite-tables.ts",
  out: "./migrations/draft",
});
