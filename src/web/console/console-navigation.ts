/** The pages of the navigation in their groups. */
export const GROUPS = [
  {
    name: "Operate",
    areas: [
      { part: "", name: "Overview" },
      { part: "deliveries", name: "Deliveries" },
      { part: "jobs", name: "Jobs" },
      { part: "audit", name: "Audit" },
    ],
  },
  {
    name: "Customers",
    areas: [
      { part: "partners", name: "Partners" },
      { part: "book", name: "Book" },
      { part: "usage", name: "Usage" },
      { part: "embeds", name: "Embeds" },
    ],
  },
  {
    name: "Model",
    areas: [
      { part: "components", name: "Components" },
      { part: "snapshots", name: "Snapshots" },
      { part: "model", name: "Calibration" },
    ],
  },
  {
    name: "Settings",
    areas: [
      { part: "settings", name: "Server" },
      { part: "administrators", name: "Admins" },
    ],
  },
] as const;

/** The pages of the navigation, each with the name of its group. */
export const AREAS: readonly { part: string; name: string; group: string }[] = GROUPS.flatMap(
  ({ name: group, areas }) => areas.map((area) => ({ ...area, group })),
);
