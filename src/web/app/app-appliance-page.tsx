import { ApplianceRecordDetails } from "../records/appliance-record.tsx";
import { AppAppliancePhotos } from "./app-photos.tsx";

/** An appliance, with its photos. */
export const AppAppliancePage = ({ id }: { id: string }) => (
  <ApplianceRecordDetails id={id}>
    {(appliance) => <AppAppliancePhotos appliance={appliance} />}
  </ApplianceRecordDetails>
);
