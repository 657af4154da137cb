import { ApplianceDetails } from "../records/appliance-record.tsx";
import { AppliancePhotos } from "./photos-section.tsx";

/** An appliance, with its photos. */
export const AppliancePage = ({ id }: { id: string }) => (
  <ApplianceDetails id={id}>{(appliance) => <AppliancePhotos appliance={appliance} />}</ApplianceDetails>
);
