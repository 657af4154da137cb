import { applianceDocs } from "./docs/appliances.ts";
import { claimDocs } from "./docs/claims.ts";
import { componentDocs } from "./docs/components.ts";
import { figureDocs } from "./docs/figures.ts";
import { photoDocs } from "./docs/photos.ts";
import { propertyDocs } from "./docs/properties.ts";
import { sensorDocs } from "./docs/sensors.ts";
import { systemDocs } from "./docs/system.ts";
import type { OperationDocs } from "./docs/types.ts";

/** By operationId. A test holds this table against the operations, both ways. */
export const DOCS: Readonly<Record<string, OperationDocs>> = {
  ...systemDocs,
  ...propertyDocs,
  ...applianceDocs,
  ...componentDocs,
  ...figureDocs,
  ...claimDocs,
  ...photoDocs,
  ...sensorDocs,
};
