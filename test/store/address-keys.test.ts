import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { postalAddressKey } from "../../src/domain/places/postal-address.ts";
import { rowsOf, usePostgres } from "../support/postgres.ts";

/* The migrations give the properties of older versions the keys that the domain gives new ones. */

const MIGRATIONS = join(import.meta.dir, "../../migrations");
const updateOf = (engine: string, name: string) =>
  /^UPDATE properties[^;]*;/m.exec(readFileSync(join(MIGRATIONS, engine, name), "utf8"))![0];

const ADDRESSES = [
  { address: "120 Harbor Street", city: " New York ", state: "NY", zip: "10013-1234" },
  { address: "120  HARBOR   st.,  Suite #5", city: null, state: "NY", zip: "10013-1234" },
  { address: "1 North East Terrace", city: null, state: "VT", zip: null },
  { address: `9 ${"𝄞".repeat(400)} Rd`, city: "x".repeat(200), state: "VT", zip: null },
  { address: "Streetside 5, Building  B", city: "Barre", state: "VT", zip: null },
];
const EXPECTED = [...ADDRESSES.map(postalAddressKey), null];
const quoted = (value: string | null) => (value === null ? "NULL" : `'${value}'`);
const filled = (isDemo: string) => [
  `CREATE TABLE properties (id int, address text, city text, state text, zip text, is_demo ${isDemo}, address_key text)`,
  `INSERT INTO properties VALUES ${[...ADDRESSES, ADDRESSES[0]!]
    .map(
      ({ address, city, state, zip }, at) =>
        `(${[at, quoted(address), quoted(city), quoted(state), quoted(zip)].join(", ")}, ${
          isDemo === "boolean" ? at === ADDRESSES.length : Number(at === ADDRESSES.length)
        }, NULL)`,
    )
    .join(", ")}`,
];
const SELECT = "SELECT address_key AS key FROM properties ORDER BY id";

test("SQLite computes the keys of addresses as the domain does", () => {
  const db = new Database(":memory:");
  for (const statement of [...filled("int"), updateOf("sqlite", "0031_duplicates.sql")]) db.run(statement);
  expect(
    db
      .query<{ key: string }, []>(SELECT)
      .all()
      .map(({ key }) => key),
  ).toEqual(EXPECTED as string[]);
});

const postgres = usePostgres();
test("PostgreSQL computes the keys of addresses as the domain does", async () => {
  const url = await postgres.newDatabase();
  for (const statement of [...filled("boolean"), updateOf("postgres", "0021_duplicates.sql")])
    await rowsOf(url, statement);
  expect((await rowsOf(url, SELECT)).map(({ key }) => key)).toEqual(EXPECTED);
});
