import * as actionSchema from "../api-schemas/action-schema.ts";
import * as componentSchema from "../api-schemas/component-schema.ts";
import * as costsSchema from "../api-schemas/costs-schema.ts";
import * as size from "../domain/costs/appliance-size.ts";
import * as priceList from "../domain/costs/price-list.ts";
import * as action from "../domain/planning/action.ts";
import * as componentPlan from "../domain/planning/component-plan.ts";
import * as plannedAppliance from "../domain/planning/planned-appliance.ts";
import * as replacementAdvice from "../domain/planning/replacement-advice.ts";
import * as failureWindow from "../domain/scoring/failure-window.ts";
import * as outlook from "../domain/scoring/outlook.ts";
import * as storedScoreProjections from "../domain/scoring/score-projections.ts";
import * as uncertainLife from "../domain/scoring/uncertain-life.ts";
import * as virtualAge from "../domain/scoring/virtual-age.ts";
import * as time from "../domain/time.ts";
import { keepEventLoopFromLastCompilerTier } from "../event-loop/event-loop-compiler-tier.ts";

/**
 * Keeps the functions that lists of components call for each row from the last tier of the just-in-time compiler, whose threads
 * take a tenth of the processor time of a server's first 600 pages. The rows take as long without it.
 */
export const httpCompileComponentRowsWithoutLastTier = () =>
  keepEventLoopFromLastCompilerTier([
    actionSchema,
    componentSchema,
    costsSchema,
    priceList,
    size,
    action,
    componentPlan,
    plannedAppliance,
    replacementAdvice,
    failureWindow,
    outlook,
    storedScoreProjections,
    uncertainLife,
    virtualAge,
    time,
  ]);
