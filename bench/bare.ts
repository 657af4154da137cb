/*
 * Measures the least cost of a list: `bun bench/bare.ts DATABASE PARTNER`. A bare Bun.serve answers with the rows of the
 * same prepared query: no credentials, no limits, no envelope.
 */
import { Database } from "bun:sqlite";

const [file, partner] = process.argv.slice(2);
const db = new Database(file!, { readonly: true });
db.run("PRAGMA cache_size = -32768");
db.run("PRAGMA mmap_size = 1073741824");
const query = db.prepare(
  "SELECT id, name, address, city, state, zip, unit_count, created_at FROM properties WHERE partner_id = ? AND seq > ? ORDER BY seq LIMIT ?",
);
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: () => Response.json(query.all(partner!, 0, 50)),
});
console.log(JSON.stringify({ msg: "listening", url: `http://127.0.0.1:${server.port}` }));
