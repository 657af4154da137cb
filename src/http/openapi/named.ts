import { claim, claimImpact } from "../replies/claims.ts";
import { errorReply } from "../replies/common.ts";
import * as records from "../replies/records.ts";
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
};
