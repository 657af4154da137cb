/* The sheets of a COBie 2.4 workbook (NBIMS-US V3), in its order, with their columns in theirs. */

const ORIGIN = ["Name", "CreatedBy", "CreatedOn"] as const;
const EXTERNAL = ["ExtSystem", "ExtObject", "ExtIdentifier"] as const;

export const COLUMNS = {
  Contact: [
    ...[
      "Email",
      "CreatedBy",
      "CreatedOn",
      "Category",
      "Company",
      "Phone",
      "ExternalSystem",
      "ExternalObject",
    ],
    ...[
      "ExternalIdentifier",
      "Department",
      "OrganizationCode",
      "GivenName",
      "FamilyName",
      "Street",
      "PostalBox",
    ],
    ...["Town", "StateRegion", "PostalCode", "Country"],
  ],
  Facility: [
    ...[...ORIGIN, "Category", "ProjectName", "SiteName", "LinearUnits", "AreaUnits", "VolumeUnits"],
    ...["CurrencyUnit", "AreaMeasurement", "ExternalSystem", "ExternalProjectObject"],
    ...[
      "ExternalProjectIdentifier",
      "ExternalSiteObject",
      "ExternalSiteIdentifier",
      "ExternalFacilityObject",
    ],
    ...["ExternalFacilityIdentifier", "Description", "ProjectDescription", "SiteDescription", "Phase"],
  ],
  Floor: [...ORIGIN, "Category", ...EXTERNAL, "Description", "Elevation", "Height"],
  Space: [
    ...[...ORIGIN, "Category", "FloorName", "Description", ...EXTERNAL],
    ...["RoomTag", "UsableHeight", "GrossArea", "NetArea"],
  ],
  Zone: [...ORIGIN, "Category", "SpaceNames", ...EXTERNAL, "Description"],
  Type: [
    ...[...ORIGIN, "Category", "Description", "AssetType", "Manufacturer", "ModelNumber"],
    ...["WarrantyGuarantorParts", "WarrantyDurationParts", "WarrantyGuarantorLabor", "WarrantyDurationLabor"],
    ...["WarrantyDurationUnit", ...EXTERNAL, "ReplacementCost", "ExpectedLife", "DurationUnit"],
    ...["WarrantyDescription", "NominalLength", "NominalWidth", "NominalHeight", "ModelReference", "Shape"],
    ...["Size", "Color", "Finish", "Grade", "Material", "Constituents", "Features"],
    ...["AccessibilityPerformance", "CodePerformance", "SustainabilityPerformance"],
  ],
  Component: [
    ...[...ORIGIN, "TypeName", "Space", "Description", ...EXTERNAL, "SerialNumber", "InstallationDate"],
    ...["WarrantyStartDate", "TagNumber", "BarCode", "AssetIdentifier"],
  ],
  System: [...ORIGIN, "Category", "ComponentNames", ...EXTERNAL, "Description"],
  Assembly: [...ORIGIN, "SheetName", "ParentName", "ChildNames", "AssemblyType", ...EXTERNAL, "Description"],
  Connection: [
    ...[...ORIGIN, "ConnectionType", "SheetName", "RowName1", "RowName2", "RealizingElement"],
    ...["PortName1", "PortName2", ...EXTERNAL, "Description"],
  ],
  Spare: [
    ...[...ORIGIN, "Category", "TypeName", "Suppliers", ...EXTERNAL],
    ...["Description", "SetNumber", "PartNumber"],
  ],
  Resource: [...ORIGIN, "Category", ...EXTERNAL, "Description"],
  Job: [
    ...[...ORIGIN, "Category", "Status", "TypeName", "Description", "Duration", "DurationUnit", "Start"],
    ...["TaskStartUnit", "Frequency", "FrequencyUnit", ...EXTERNAL, "TaskNumber", "Priors", "ResourceNames"],
  ],
  Impact: [
    ...[...ORIGIN, "ImpactType", "ImpactStage", "SheetName", "RowName", "Value", "ImpactUnit"],
    ...["LeadInTime", "Duration", "LeadOutTime", ...EXTERNAL, "Description"],
  ],
  Document: [
    ...[...ORIGIN, "Category", "ApprovalBy", "Stage", "SheetName", "RowName", "Directory", "File"],
    ...[...EXTERNAL, "Description", "Reference"],
  ],
  Attribute: [
    ...[...ORIGIN, "Category", "SheetName", "RowName", "Value", "Unit", ...EXTERNAL],
    ...["Description", "AllowedValues"],
  ],
  Coordinate: [
    ...[...ORIGIN, "Category", "SheetName", "RowName", "CoordinateXAxis", "CoordinateYAxis"],
    ...["CoordinateZAxis", ...EXTERNAL, "ClockwiseRotation", "ElevationalRotation", "YawRotation"],
  ],
  Issue: [
    ...[...ORIGIN, "Type", "Risk", "Chance", "Impact", "SheetName1", "RowName1", "SheetName2", "RowName2"],
    ...["Description", "Owner", "Mitigation", ...EXTERNAL],
  ],
} as const satisfies Record<string, readonly string[]>;
export type SheetName = keyof typeof COLUMNS;

/** The text of a required cell without a value. */
export const NOT_AVAILABLE = "n/a";
/** The system that a workbook of ours names, by which its identifiers are recognized. */
export const OWN_SYSTEM = "Mainstay";

/** The categories that a workbook of ours has, from the pick lists of the standard. */
export const CATEGORIES = {
  operator: "34-41 14 11: Facility Manager",
  manufacturer: "34-35 10 11: Manufacturer",
  facility: "11-16 21 00: Multiple Family Residences",
  dwelling: "13-65 00 00: Private Residential Spaces",
  building: "13-23 00 00: Facility Service Spaces",
} as const;

/** The attributes of a facility for what the standard has no column. Their names are those of IFC where it has one. */
export const FACILITY_ATTRIBUTES = {
  partner_property_id: "BuildingID",
  address: "Address",
  city: "Town",
  state: "Region",
  zip: "PostalCode",
  country: "Country",
  unit_count: "NumberOfUnits",
  unit_label: "UnitLabel",
  year_built: "YearOfConstruction",
  stories: "NumberOfStoreys",
  gross_area_sqft: "GrossFloorArea",
  replacement_value: "ReplacementValue",
  notes: "Notes",
} as const;

/** The attributes of a component for what the standard has no column. */
export const COMPONENT_ATTRIBUTES = {
  warranty_expiry: "WarrantyEndDate",
  brand_tier: "BrandTier",
  usage_intensity: "UsageIntensity",
  flags_set: "FlagsSet",
  flags_cleared: "FlagsCleared",
} as const;
