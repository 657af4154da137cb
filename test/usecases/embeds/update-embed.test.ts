import { beforeEach, expect, test } from "bun:test";
import { createEmbed, updateEmbed } from "../../../src/usecases/embeds/create-or-revoke-embed.ts";
import { type PortfolioFixture, usePortfolioStore } from "../../support/portfolio-store.ts";

const open = usePortfolioStore();
let fixture: PortfolioFixture;
beforeEach(async () => {
  fixture = await open(Date.parse("2026-03-10T12:00:00Z"));
});

test("two servers that change an embed at once keep each other's change", async () => {
  const { id: propertyId } = await fixture.addProperty({});
  const administration = { ...fixture.administration, actor: "test" };
  const other = { ...administration, store: await fixture.open() };
  const { embed } = await createEmbed(administration, { propertyId, days: null });
  for (let nth = 0; nth < 5; nth++) {
    await Promise.all([
      updateEmbed(administration, embed.id, { recipient: `Recipient ${nth}` }),
      updateEmbed(other, embed.id, { label: `Label ${nth}` }),
    ]);
    expect(await fixture.store.read.embeds.find(embed.id)).toMatchObject({
      label: `Label ${nth}`,
      recipient: `Recipient ${nth}`,
    });
  }
});
