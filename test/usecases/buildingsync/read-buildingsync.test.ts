import { describe, expect, test } from "bun:test";
import { buildingSyncTables } from "../../../src/usecases/buildingsync/read-buildingsync.ts";
import type { ImportTable } from "../../../src/usecases/import/mapping/import-source-table.ts";
import { parseXmlText } from "../../../src/xml/read-xml.ts";

/* The documents are written by the schema of BuildingSync 2.7, with the elements that audit tools fill. */

const read = (text: string, areaUnit: "sqft" | "m2" = "sqft") =>
  buildingSyncTables("a.xml", parseXmlText("a.xml", Buffer.from(text)), areaUnit);

async function rowsOf({ headings, rows }: ImportTable): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for await (const { line, cells } of rows())
    found.push({
      line,
      ...Object.fromEntries(
        headings.map((field, i) => [field, cells[i]] as const).filter(([, cell]) => cell !== ""),
      ),
    });
  return found;
}

const ADDRESS = `<Address><StreetAddressDetail><Simplified><StreetAddress>1 Elm St</StreetAddress></Simplified></StreetAddressDetail>
<City>Golden</City><State>CO</State><PostalCode>80401</PostalCode></Address>`;
const building = (id: string, content = "") =>
  `<Building ID="${id}"><PremisesName>${id} Hall</PremisesName>${content}</Building>`;
const document = (
  buildings: string,
  systems = "",
) => `<BuildingSync xmlns="http://buildingsync.net/schemas/bedes-auc/2019">
<Facilities><Facility ID="F"><Sites><Site ID="S">${ADDRESS}<Buildings>${buildings}</Buildings></Site></Sites>
<Systems>${systems}</Systems></Facility></Facilities></BuildingSync>`;
const linked = (id: string) =>
  `<LinkedPremises><Building><LinkedBuildingID IDref="${id}"/></Building></LinkedPremises>`;

// Rule: import-buildingsync
describe("a BuildingSync document", () => {
  const WHOLE = building(
    "B1",
    `<PremisesIdentifiers><PremisesIdentifier><IdentifierLabel>Custom</IdentifierLabel>
    <IdentifierCustomName>City Custom Building ID</IdentifierCustomName><IdentifierValue>12/34</IdentifierValue>
    </PremisesIdentifier></PremisesIdentifiers>
    <FloorsAboveGrade>3</FloorsAboveGrade>
    <FloorAreas><FloorArea><FloorAreaType>Conditioned</FloorAreaType><FloorAreaValue>5</FloorAreaValue></FloorArea>
    <FloorArea><FloorAreaType>Gross</FloorAreaType><FloorAreaValue>5500.4</FloorAreaValue></FloorArea></FloorAreas>
    <YearOfConstruction>1984</YearOfConstruction>
    <SpatialUnits><SpatialUnit><SpatialUnitType>Apartment units</SpatialUnitType><NumberOfUnits>25</NumberOfUnits>
    </SpatialUnit></SpatialUnits>`,
  );

  test("is its buildings, with the address of the site, year, stories, area and apartments", async () => {
    const [properties] = read(document(WHOLE + building("B2")));
    const place = { address: "1 Elm St", city: "Golden", state: "CO", zip: "80401" };
    expect(await rowsOf(properties!)).toMatchObject([
      {
        name: "B1 Hall",
        partner_property_id: "12/34",
        ...place,
        stories: "3",
        gross_area_sqft: "5500",
        year_built: "1984",
        unit_count: "25",
      },
      { name: "B2 Hall", partner_property_id: "B2 Hall", ...place },
    ]);
    const [metric] = read(document(WHOLE), "m2");
    expect(await rowsOf(metric!)).toMatchObject([{ gross_area_sqft: "511" }]);
  });

  test("has its systems as equipment, a packaged unit once, and counts what has no type", async () => {
    const systems = `<HVACSystems><HVACSystem ID="H1">
      <Plants><HeatingPlants><HeatingPlant ID="P1"><Boiler><BoilerType>Hot water</BoilerType><Quantity>2</Quantity></Boiler>
      <YearInstalled>1999</YearInstalled></HeatingPlant></HeatingPlants>
      <CoolingPlants><CoolingPlant ID="P2"><Chiller/></CoolingPlant></CoolingPlants></Plants>
      <HeatingAndCoolingSystems><HeatingSources>
        <HeatingSource ID="HS0"><HeatingSourceType><SourceHeatingPlantID IDref="P1"/></HeatingSourceType></HeatingSource>
      </HeatingSources></HeatingAndCoolingSystems></HVACSystem>
      <HVACSystem ID="H2"><PrincipalHVACSystemType>Packaged Rooftop Air Conditioner</PrincipalHVACSystemType>
      <HeatingAndCoolingSystems><HeatingSources>
        <HeatingSource ID="HS1"><HeatingSourceType><Furnace/></HeatingSourceType></HeatingSource></HeatingSources>
        <CoolingSources><CoolingSource ID="CS1"><CoolingSourceType><DX><DXSystemType>Packaged/unitary direct expansion/RTU</DXSystemType></DX>
        </CoolingSourceType><YearInstalled>0</YearInstalled></CoolingSource></CoolingSources></HeatingAndCoolingSystems></HVACSystem>
      </HVACSystems>
      <DomesticHotWaterSystems><DomesticHotWaterSystem ID="D1"><DomesticHotWaterType><StorageTank><TankHeatingType><Direct>
        <DirectTankHeatingSource><Combustion/></DirectTankHeatingSource></Direct></TankHeatingType><TankVolume>80</TankVolume>
        </StorageTank></DomesticHotWaterType><YearInstalled>2010</YearInstalled><Manufacturer>Rheem</Manufacturer>
        <ModelNumber>G80</ModelNumber></DomesticHotWaterSystem>
        <DomesticHotWaterSystem ID="D2"><DomesticHotWaterType><StorageTank><TankHeatingType><Indirect/></TankHeatingType>
        </StorageTank></DomesticHotWaterType></DomesticHotWaterSystem></DomesticHotWaterSystems>
      <ConveyanceSystems><ConveyanceSystem ID="E1"><ConveyanceSystemType>Elevator</ConveyanceSystemType><Quantity>3</Quantity>
        </ConveyanceSystem><ConveyanceSystem ID="E2"><ConveyanceSystemType>Escalator</ConveyanceSystemType></ConveyanceSystem>
        </ConveyanceSystems>
      <LightingSystems><LightingSystem ID="L1"/><LightingSystem ID="L2"/></LightingSystems>
      <CriticalITSystems><CriticalITSystem ID="I1"/></CriticalITSystems>`;
    const [, appliances] = read(document(WHOLE, systems));
    expect(await rowsOf(appliances!)).toMatchObject([
      { type_id: "boiler", serial: "P1", install_year: "1999", quantity: "2", partner_property_id: "12/34" },
      { type_id: "rooftop_unit", serial: "CS1" },
      {
        type_id: "water_heater_gas",
        serial: "D1",
        install_year: "2010",
        size: "80 gallons",
        brand: "Rheem",
        model: "G80",
      },
      { type_id: "elevator", serial: "E1", quantity: "3" },
    ]);
    expect((await rowsOf(appliances!))[1]).not.toHaveProperty("install_year");
    expect(appliances!.form!.leftOut.map(({ what, cells }) => [what, cells])).toEqual([
      ["chiller", 1],
      ["domestic hot water system", 1],
      ["conveyance system", 1],
      ["lighting system", 2],
      ["critical it system", 1],
    ]);
  });

  test("has the size of a system with its unit, of a roof by its sections, and the area of a site with one building", async () => {
    const site = document(
      building(
        "B1",
        '<Sections><Section><Roofs><Roof><RoofID IDref="R1"><RoofArea>6000</RoofArea></RoofID></Roof><Roof><RoofID IDref="R1"><RoofArea>4000</RoofArea></RoofID></Roof></Roofs></Section></Sections>',
      ),
      `<HVACSystems><HVACSystem ID="H1"><Plants><HeatingPlants><HeatingPlant ID="P1"><Boiler>
      <InputCapacity>400</InputCapacity><OutputCapacity>314</OutputCapacity><CapacityUnits>kBtu/hr</CapacityUnits></Boiler>
      </HeatingPlant></HeatingPlants></Plants></HVACSystem>
      <HVACSystem ID="H2"><PrincipalHVACSystemType>Packaged Rooftop Air Conditioner</PrincipalHVACSystemType>
      <HeatingAndCoolingSystems>
      <CoolingSources><CoolingSource ID="C1"><CoolingSourceType><DX/></CoolingSourceType><Capacity>10.000000</Capacity>
      <CapacityUnits>Cooling ton</CapacityUnits></CoolingSource></CoolingSources></HeatingAndCoolingSystems></HVACSystem>
      <HVACSystem ID="H3"><PrincipalHVACSystemType>Packaged Rooftop Air Conditioner</PrincipalHVACSystemType>
      <HeatingAndCoolingSystems><HeatingSources><HeatingSource ID="S1"><HeatingSourceType><Furnace/></HeatingSourceType>
      <OutputCapacity>99</OutputCapacity><CapacityUnits>kBtu/hr</CapacityUnits></HeatingSource></HeatingSources>
      </HeatingAndCoolingSystems></HVACSystem></HVACSystems>
      <RoofSystems><RoofSystem ID="R1"/></RoofSystems>
      <OnsiteStorageTransmissionGenerationSystems><OnsiteStorageTransmissionGenerationSystem ID="G1">
      <BackupGenerator>true</BackupGenerator><Capacity>0</Capacity><CapacityUnits>kW</CapacityUnits>
      </OnsiteStorageTransmissionGenerationSystem></OnsiteStorageTransmissionGenerationSystems>`,
    ).replace(
      "<Buildings>",
      "<FloorAreas><FloorArea><FloorAreaType>Gross</FloorAreaType><FloorAreaValue>9000</FloorAreaValue></FloorArea></FloorAreas><Buildings>",
    );
    const [properties, appliances] = read(site);
    expect(await rowsOf(properties!)).toMatchObject([{ gross_area_sqft: "9000" }]);
    expect((await rowsOf(appliances!)).map(({ serial, size }) => [serial, size])).toEqual([
      ["P1", "314 kBtu/hr"],
      ["C1", "10 Cooling ton"],
      ["S1", undefined],
      ["R1", "10000 sq ft"],
      ["G1", undefined],
    ]);
  });

  test("puts a system into the building that it names, or that names it, and counts one of no building", async () => {
    const heater = (id: string, premises: string) =>
      `<DomesticHotWaterSystem ID="${id}"><DomesticHotWaterType><Instantaneous/></DomesticHotWaterType>${premises}</DomesticHotWaterSystem>`;
    const section =
      '<Sections><Section ID="X"><Roofs><Roof><RoofID IDref="R1"/></Roof></Roofs></Section></Sections>';
    const [, appliances] = read(
      document(
        building("B1") + building("B2", section),
        `<DomesticHotWaterSystems>${heater("D1", linked("B2"))}${heater("D2", linked("X"))}${heater("D3", "")}
        ${heater("D4", linked("B1"))}</DomesticHotWaterSystems><RoofSystems><RoofSystem ID="R1"/></RoofSystems>`,
      ),
    );
    expect((await rowsOf(appliances!)).map(({ serial, name }) => [serial, name])).toEqual([
      ["D1", "B2 Hall"],
      ["D2", "B2 Hall"],
      ["D4", "B1 Hall"],
      ["R1", "B2 Hall"],
    ]);
    expect(appliances!.form!.leftOut).toMatchObject([{ reason: "no building named", cells: 1 }]);
  });

  test("tells buildings of one name apart", async () => {
    const [properties] = read(document(building("B1") + building("B1")));
    expect((await rowsOf(properties!)).map((row) => row.partner_property_id)).toEqual([
      "B1 Hall",
      "B1 Hall (2)",
    ]);
    const long = building("B".repeat(120));
    const references = (await rowsOf(read(document(long + long + long))[0]!)).map((row) =>
      String(row.partner_property_id),
    );
    expect(references.map((reference) => reference.slice(-6))).toEqual(["BBBBBB", "BB (2)", "BB (3)"]);
    expect(references.map(({ length }) => length)).toEqual([100, 100, 100]);
  });

  test.each([
    ["<gbXML/>", "a.xml is not BuildingSync XML: its first element is gbXML"],
    ["<BuildingSync/>", "a.xml has no building"],
  ])("%s is refused", (text, problem) => {
    expect(() => read(text)).toThrow(problem);
  });
});

// Rule: import-buildingsync
test("a document of many buildings and systems is read in linear time", () => {
  const many = (make: (id: string) => string) =>
    Array.from({ length: 20_000 }, (_, at) => make(`B${at}`)).join("");
  const root = parseXmlText(
    "a.xml",
    Buffer.from(
      document(
        many((id) => `<Building ID="${id}"/>`),
        `<RoofSystems>${many((id) => `<RoofSystem>${linked(id)}</RoofSystem>`)}</RoofSystems>`,
      ),
    ),
  );
  const before = process.cpuUsage();
  const [properties, appliances] = buildingSyncTables("a.xml", root, "sqft");
  const { user } = process.cpuUsage(before);
  expect([properties!.count, appliances!.count]).toEqual([20_000, 20_000]);
  // A copy of the list of buildings for each system takes three seconds.
  expect(user / 1000).toBeLessThan(1_000);
});

test("elements named like properties of every object are no equipment", () => {
  const [, appliances] = read(document(building("B"), "<L><constructor/><__defineGetter__/><toString/></L>"));
  expect(appliances!.count).toBe(0);
  expect(appliances!.form!.leftOut.map(({ reason }) => reason)).toEqual(
    Array(3).fill("no kind of equipment"),
  );
});
