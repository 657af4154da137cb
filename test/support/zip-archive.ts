import { deflateRawSync } from "node:zlib";

/** Returns a ZIP archive of stored files, or of compressed ones that claim to expand to a size. */
export function zipArchive(
  files: Readonly<Record<string, string>>,
  { claimed, hasChecksums = true }: { claimed?: number | undefined; hasChecksums?: boolean } = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const whole = Buffer.from(text);
    const data = claimed === undefined ? whole : deflateRawSync(whole);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(claimed === undefined ? 0 : 8, 8);
    if (hasChecksums) header.writeUInt32LE(Bun.hash.crc32(whole), 14);
    header.writeUInt32LE(data.length, 18);
    header.writeUInt32LE(claimed ?? data.length, 22);
    header.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    header.copy(entry, 6, 4, 28);
    entry.writeUInt16LE(20, 4);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(header, Buffer.from(name), data);
    directory.push(entry, Buffer.from(name));
    at += header.length + name.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const TYPES = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`;
const relations = (target: string, kind: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/></Relationships>`;

/** Returns the files of a workbook with one sheet, S, whose XML is given. */
export const workbookFiles = (sheet: string): Record<string, string> => ({
  "[Content_Types].xml": TYPES,
  "_rels/.rels": relations("xl/workbook.xml", "officeDocument"),
  "xl/workbook.xml": `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  "xl/_rels/workbook.xml.rels": relations("worksheets/sheet1.xml", "worksheet"),
  "xl/worksheets/sheet1.xml": sheet,
});

/** Returns the XML of a sheet whose first row is the heading `a`, with the cells of the second row. */
export const sheetXml = (cells: string) =>
  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row><row r="2">${cells}</row></sheetData></worksheet>`;
