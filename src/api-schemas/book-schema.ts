import type { PlacedComponent } from "../domain/component.ts";
import type { PriceList } from "../domain/costs/price-list.ts";
import type { Knowledge } from "../domain/domain-knowledge.ts";
import type { Partner } from "../domain/partner.ts";
import type { Property } from "../domain/property.ts";
import { alert, serializeAlert } from "./component-schema.ts";
import type { JsonOf } from "./definition/api-schema-type.ts";
import { idSchema, wholeNumberSchema } from "./definition/schema-field-types.ts";
import { losses } from "./losses-schema.ts";
import { partnerName, unscopedPageSchema } from "./paging-schema.ts";
import {
  portfolioItem,
  portfolioSumsFields,
  type StoredSums,
  serializePortfolioItem,
} from "./portfolio-schema.ts";
import { propertyRow, serializePropertyRow } from "./property-schema.ts";

/* The book: the records of all partners, or of some, for the operator. Each names its partner. */

const owner = { partner_id: idSchema("PARTNER", "The partner"), partner: partnerName };
const serializeOwner = ({ id, name }: Pick<Partner, "id" | "name">) => ({ partner_id: id, partner: name });
type Owner = { partner: Pick<Partner, "id" | "name"> };

export const bookProperty = propertyRow.and(owner);
export const serializeBookProperty = ({ partner, property }: Owner & { property: Property }) => ({
  ...serializePropertyRow(property),
  ...serializeOwner(partner),
});
export const bookPropertyPage = unscopedPageSchema("properties", bookProperty);

export const bookItem = portfolioItem.and(owner);
export const serializeBookItem = (
  knowledge: Knowledge,
  { partner, ...row }: Owner & StoredSums & { property: Property },
) => ({
  ...serializePortfolioItem(knowledge, row),
  ...serializeOwner(partner),
});
export const bookPropertiesPage = unscopedPageSchema("portfolio", bookItem, portfolioSumsFields);

export type BookPropertiesPageJson = JsonOf<typeof bookPropertiesPage>;

export const bookAlert = alert.and(owner);
export const serializeBookAlert = (prices: PriceList, partner: Owner["partner"], row: PlacedComponent) => ({
  ...serializeAlert(prices, row),
  ...serializeOwner(partner),
});
export const bookAlertPage = unscopedPageSchema("alerts", bookAlert, {
  critical_count: wholeNumberSchema("CRITICAL components on all pages", 2),
  warning_count: wholeNumberSchema("WARNING components on all pages", 3),
});

export type BookAlertPageJson = JsonOf<typeof bookAlertPage>;

export const bookLosses = losses.and({ partners: wholeNumberSchema("Partners in the selection", 3) });
export type BookLossesJson = JsonOf<typeof bookLosses>;
