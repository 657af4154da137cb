import { applianceChangeShape, newApplianceShape } from "../../shapes/appliance.ts";
import { newClaimShape } from "../../shapes/claim.ts";
import { newPropertyShape, propertyChangeShape } from "../../shapes/property.ts";
import { flatSmartEventShape, meterEventShape, smartEventShape } from "../../shapes/sensor-event.ts";
import { claim, claimImpact } from "../replies/claims.ts";
import { errorReply } from "../replies/fields.ts";
import * as records from "../replies/records.ts";
import { loggedEvent } from "./docs/appliances.ts";
import { forecastWindow, reportItem, reserve } from "./docs/figures.ts";
import type { Describable } from "./schema.ts";

/** The shapes that the document names; smaller ones first, since the larger refer to them. */
export const NAMED_SHAPES: Readonly<Record<string, Describable>> = {
  Error: errorReply,
  Unit: records.unit,
  ComponentStub: records.componentStub,
  PropertyRow: records.propertyRow,
  Property: records.property,
  Appliance: records.appliance,
  Component: records.component,
  Alert: records.alert,
  ServiceEvent: records.serviceEvent,
  HistoryEvent: records.historyEvent,
  TrendPoint: records.trendPoint,
  Claim: claim,
  ClaimImpact: claimImpact,
  ReportItem: reportItem,
  ForecastWindow: forecastWindow,
  Reserve: reserve,
  NewProperty: newPropertyShape.type,
  PropertyChange: propertyChangeShape.type,
  NewAppliance: newApplianceShape.type,
  ApplianceChange: applianceChangeShape.type,
  NewServiceEvent: loggedEvent,
  NewClaim: newClaimShape.type,
  MeterEvent: meterEventShape.type,
  SmartEvent: smartEventShape.type,
  FlatSmartEvent: flatSmartEventShape.type,
};
