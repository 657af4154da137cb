import {
  chooseWordingOfCurrencyAndUnits,
  UNIT_SYSTEMS,
} from "../../domain/wording/currency-and-unit-wording.ts";

/* Chooses the currency and units that the server has written into the document. Imported before everything that formats. */

const { currency, units } = document.documentElement.dataset;
const system = UNIT_SYSTEMS.find((one) => one === units);
if (currency !== undefined && system !== undefined)
  chooseWordingOfCurrencyAndUnits({ currency, units: system });
