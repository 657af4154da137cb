import { centsFromUsd } from "../domain/costs/usd-cents.ts";
import { PERILS, SYSTEMS } from "../domain/domain-knowledge.ts";
import { LOSS_LIMITS } from "../domain/losses/loss-term-limits.ts";
import type { PremiumTerms } from "../domain/losses/technical-premium.ts";
import { placeOfStateOrSubdivision } from "../domain/places/place.ts";
import type { LossRequest } from "../usecases/losses/load-loss-books.ts";
import {
  type HttpQuery,
  invalidHttpParameterFailure,
  isDemoInHttpQuery,
  parseDecimalNumberHttpQueryParameter,
  parseWholeNumberHttpQueryParameter,
} from "./http-query-parameters.ts";

/** Parses the selection and the layer of losses. Throws invalid_request. */
export function parseLossRequestHttpQuery(query: HttpQuery): LossRequest {
  const state = query.get("state");
  return {
    selection: {
      systems: parseSet(query, "systems", SYSTEMS),
      perils: parseSet(query, "perils", PERILS),
      state: state === undefined ? undefined : placeOfStateOrSubdivision(state),
      includeDemo: isDemoInHttpQuery(query),
    },
    layer: parseInsuredLayerHttpQuery(query).layer,
  };
}

/** Parses the layer alone; the selection is all. */
export function parseInsuredLayerHttpQuery(query: HttpQuery): LossRequest {
  const { deductibleUsd, limitUsd } = LOSS_LIMITS;
  const deductible = parseWholeNumberHttpQueryParameter(
    query,
    "deductible",
    deductibleUsd.least,
    deductibleUsd.most,
  );
  const limit = parseWholeNumberHttpQueryParameter(query, "limit", limitUsd.least, limitUsd.most);
  return {
    selection: { includeDemo: false },
    layer: {
      deductible: centsFromUsd(deductible ?? 0),
      limit: limit === undefined ? null : centsFromUsd(limit),
    },
  };
}

/** Parses the terms of a premium; undefined if none is given. */
export function parsePremiumTermsHttpQuery(query: HttpQuery): PremiumTerms | undefined {
  const { riskLoad, lossAdjustmentRatio, expenseRatio } = LOSS_LIMITS;
  const [load, adjustment, expense] = [
    parseDecimalNumberHttpQueryParameter(query, "risk_load", riskLoad),
    parseDecimalNumberHttpQueryParameter(query, "loss_adjustment_ratio", lossAdjustmentRatio),
    parseDecimalNumberHttpQueryParameter(query, "expense_ratio", expenseRatio),
  ];
  if (load === undefined && adjustment === undefined && expense === undefined) return undefined;
  return { riskLoad: load ?? 0, lossAdjustmentRatio: adjustment ?? 0, expenseRatio: expense ?? 0 };
}

/** Parses values between commas. */
function parseSet<const V extends string>(
  query: HttpQuery,
  name: string,
  values: readonly V[],
): ReadonlySet<V> | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const given = text.split(",").map((value) => value.trim());
  const known = values.filter((value) => given.includes(value));
  if (given.every((value) => (values as readonly string[]).includes(value))) return new Set(known);
  throw invalidHttpParameterFailure(name, `must be one or more of ${values.join(", ")}, separated by commas`);
}
