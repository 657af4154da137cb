import boiler from "./appliances/boiler.json" with { type: "json" };
import dishwasher from "./appliances/dishwasher.json" with { type: "json" };
import dryerElectric from "./appliances/dryer_electric.json" with { type: "json" };
import dryerGas from "./appliances/dryer_gas.json" with { type: "json" };
import electricalPanel from "./appliances/electrical_panel.json" with { type: "json" };
import elevator from "./appliances/elevator.json" with { type: "json" };
import exteriorEnvelope from "./appliances/exterior_envelope.json" with { type: "json" };
import fireAlarm from "./appliances/fire_alarm.json" with { type: "json" };
import fireSuppression from "./appliances/fire_suppression.json" with { type: "json" };
import furnaceGas from "./appliances/furnace_gas.json" with { type: "json" };
import garbageDisposal from "./appliances/garbage_disposal.json" with { type: "json" };
import generator from "./appliances/generator.json" with { type: "json" };
import hvacCentral from "./appliances/hvac_central.json" with { type: "json" };
import hvacHeatPump from "./appliances/hvac_heat_pump.json" with { type: "json" };
import hvacMiniSplit from "./appliances/hvac_mini_split.json" with { type: "json" };
import parkingLot from "./appliances/parking_lot.json" with { type: "json" };
import plumbingDrain from "./appliances/plumbing_drain.json" with { type: "json" };
import plumbingSupply from "./appliances/plumbing_supply.json" with { type: "json" };
import poolEquipment from "./appliances/pool_equipment.json" with { type: "json" };
import ptac from "./appliances/ptac.json" with { type: "json" };
import rangeElectric from "./appliances/range_electric.json" with { type: "json" };
import rangeGas from "./appliances/range_gas.json" with { type: "json" };
import refrigerator from "./appliances/refrigerator.json" with { type: "json" };
import roof from "./appliances/roof.json" with { type: "json" };
import rooftopUnit from "./appliances/rooftop_unit.json" with { type: "json" };
import sumpPump from "./appliances/sump_pump.json" with { type: "json" };
import washer from "./appliances/washer.json" with { type: "json" };
import waterHeaterElectric from "./appliances/water_heater_electric.json" with { type: "json" };
import waterHeaterGas from "./appliances/water_heater_gas.json" with { type: "json" };
import waterHeaterTankless from "./appliances/water_heater_tankless.json" with { type: "json" };
import brands from "./brands.json" with { type: "json" };
import cascades from "./cascades.json" with { type: "json" };
import censusDivisions from "./census-divisions.json" with { type: "json" };
import claimTypes from "./claim-types.json" with { type: "json" };
import eras from "./eras.json" with { type: "json" };
import hazards from "./hazards.json" with { type: "json" };
import regimes from "./inspection-regimes.json" with { type: "json" };
import keywords from "./keywords.json" with { type: "json" };
import locationFactors from "./location-factors.json" with { type: "json" };
import lossClasses from "./loss-classes.json" with { type: "json" };
import model from "./model.json" with { type: "json" };
import smartEvents from "./smart-events.json" with { type: "json" };
import sources from "./sources.json" with { type: "json" };
import states from "./states.json" with { type: "json" };

/** The files of the knowledge base by name, not validated. */
export type KnowledgeFiles = Record<string, unknown>;

/** Imported statically, so that the executable contains them. A new appliance type must be listed here. */
export const FILES: KnowledgeFiles = {
  "appliances/hvac_central.json": hvacCentral,
  "appliances/hvac_heat_pump.json": hvacHeatPump,
  "appliances/hvac_mini_split.json": hvacMiniSplit,
  "appliances/water_heater_gas.json": waterHeaterGas,
  "appliances/water_heater_electric.json": waterHeaterElectric,
  "appliances/water_heater_tankless.json": waterHeaterTankless,
  "appliances/refrigerator.json": refrigerator,
  "appliances/washer.json": washer,
  "appliances/dryer_electric.json": dryerElectric,
  "appliances/dryer_gas.json": dryerGas,
  "appliances/dishwasher.json": dishwasher,
  "appliances/range_gas.json": rangeGas,
  "appliances/range_electric.json": rangeElectric,
  "appliances/electrical_panel.json": electricalPanel,
  "appliances/boiler.json": boiler,
  "appliances/roof.json": roof,
  "appliances/pool_equipment.json": poolEquipment,
  "appliances/elevator.json": elevator,
  "appliances/fire_suppression.json": fireSuppression,
  "appliances/furnace_gas.json": furnaceGas,
  "appliances/rooftop_unit.json": rooftopUnit,
  "appliances/ptac.json": ptac,
  "appliances/plumbing_supply.json": plumbingSupply,
  "appliances/plumbing_drain.json": plumbingDrain,
  "appliances/sump_pump.json": sumpPump,
  "appliances/exterior_envelope.json": exteriorEnvelope,
  "appliances/generator.json": generator,
  "appliances/fire_alarm.json": fireAlarm,
  "appliances/parking_lot.json": parkingLot,
  "appliances/garbage_disposal.json": garbageDisposal,
  "brands.json": brands,
  "cascades.json": cascades,
  "census-divisions.json": censusDivisions,
  "claim-types.json": claimTypes,
  "eras.json": eras,
  "hazards.json": hazards,
  "inspection-regimes.json": regimes,
  "keywords.json": keywords,
  "location-factors.json": locationFactors,
  "loss-classes.json": lossClasses,
  "model.json": model,
  "smart-events.json": smartEvents,
  "sources.json": sources,
  "states.json": states,
};
