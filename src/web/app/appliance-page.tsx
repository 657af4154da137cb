import { ApplianceRecord } from "../records/appliance-record.tsx";
import { Photos } from "./photos-section.tsx";

/** An appliance, with its photos. */
export const AppliancePage = ({ id }: { id: string }) => (
  <ApplianceRecord id={id}>{(appliance) => <Photos appliance={appliance} />}</ApplianceRecord>
);
