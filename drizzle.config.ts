import { defineConfig } from "drizzle-kit";

/** Used to draft migrations only: `bunx drizzle-kit generate`. What is applied is `migrations/`, mended by hand. */
export default defineConfig({
  dialect: "sqlite",
  schema: "./src/store/schema.ts",
  out: "./migrations/draft",
});
