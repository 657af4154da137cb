import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Partner } from "../../../src/domain/partner.ts";
import { loadKnowledge } from "../../../src/knowledge/load.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { importPortfolio } from "../../../src/usecases/import/import-portfolio.ts";
import type { Target } from "../target.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const clock = () => NOW;
const KINDS = ["properties", "appliances", "serviceEvents", "components", "claims"] as const;

/** Imports a CSV file into a database; the first byte chooses what it has. */
export async function importTarget(): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), "mainstay-fuzz-import-"));
  const knowledge = loadKnowledge();
  const store = openSqliteStore(join(folder, "mainstay.db"), {
    clock,
    random: (bytes) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  });
  const newPartner = () =>
    store.write(async (tx): Promise<Partner> => {
      const partner = {
        name: "P",
        enabled: true,
        dailyBudget: 1,
        credentialGeneration: 1,
        createdAt: tx.now,
      };
      const made = { id: tx.newId("partner"), ...partner };
      await tx.partners.insert(made);
      return made;
    });
  const before = {
    properties: { name: "p.csv", text: "partner_property_id,name,address,state\n1,Elm,1 Elm St,NY\n" },
    appliances: { name: "a.csv", text: "partner_property_id,type_id,serial,install_year\n1,roof,S1,1990\n" },
  };
  const file = (nth: number, text: string) => Buffer.concat([Buffer.of(nth), Buffer.from(text)]);
  return {
    name: "import",
    seeds: [
      file(
        0,
        'partner_property_id,name,address,state,unit_count\n2,"Oak, ""Inn""",2 Oak St,TX,12\n3,Ash,3 Ash St,CA,\n',
      ),
      file(1, "partner_property_id,type_id,serial,install_year,brand\r\n1,furnace_gas,S2,2001,Acme\r\n"),
      file(
        2,
        "partner_property_id,serial,event_type,date,total_cost,notes\n1,S1,Repair,2025-01-02,12.50,=leak\n",
      ),
      file(0, "\ufeffline;error\n"),
      file(
        3,
        "partner_property_id,serial,component_def_id,proactive_cost,condition\n1,S1,roof_covering,1200.50,fair\n",
      ),
      file(
        4,
        "partner_property_id,claim_type,date_of_loss,amount,claim_number\n1,water_damage,2025-01-02,100.25,=A-1\n",
      ),
    ],
    words: [
      '"',
      ",",
      "\n",
      "\r",
      ";",
      "\t",
      "\ufeff",
      "partner_property_id",
      "=1+1",
      "＝1",
      "line,error",
      "2026-02-30",
    ],
    async parse(input) {
      const partner = await newPartner();
      const importing = { store, knowledge, partner, clock, actor: "cli:fuzz" };
      await importPortfolio({ ...importing, sources: before });
      const kind = KINDS[(input[0] ?? 0) % KINDS.length]!;
      const path = join(folder, "input.csv");
      await Bun.write(path, input.subarray(1));
      const result = await importPortfolio({ ...importing, sources: { [kind]: { path } } });
      return `${kind}, ${result.rejected === 0 ? "no" : "some"} rejected`;
    },
    async end() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
