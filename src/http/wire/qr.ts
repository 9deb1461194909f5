/** Draws QRs: 1-bit PNG, SVG, and text for terminals. */
import { crc32, deflateSync } from 'node:zlib';
import QRCode from 'qrcode';

const scale = 6;
const quiet = 4;

interface Modules {
  readonly size: number;
  readonly dark: Uint8Array;
}

/** Byte mode: finding digit and capital segments would take longer than all the rest. */
const modulesOf = (text: string): Modules => {
  const segment = { data: Buffer.from(text), mode: 'byte' as const };
  const { modules } = QRCode.create([segment], { errorCorrectionLevel: 'L' });
  return { size: modules.size, dark: modules.data };
};

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
};

/** A scan line: filter byte 0, then a bit per pixel, 1 for white. */
const scanLine = ({ size, dark }: Modules, row: number): Buffer => {
  const width = (size + 2 * quiet) * scale;
  const line = Buffer.alloc(1 + Math.ceil(width / 8), 0xff);
  line[0] = 0;
  if (row < 0 || row >= size) return line;
  for (let column = 0; column < size; column += 1) {
    if (dark[row * size + column] === 0) continue;
    for (let x = (column + quiet) * scale; x < (column + quiet + 1) * scale; x += 1) {
      line[1 + (x >> 3)]! &= ~(0x80 >> (x & 7));
    }
  }
  return line;
};

/** 1-bit greyscale: a tenth of the time and size of true colour. */
export const qrPng = (text: string): Buffer => {
  const modules = modulesOf(text);
  const side = modules.size + 2 * quiet;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side * scale, 0);
  header.writeUInt32BE(side * scale, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const lines: Buffer[] = [];
  for (let row = -quiet; row < modules.size + quiet; row += 1) {
    const line = scanLine(modules, row);
    for (let repeat = 0; repeat < scale; repeat += 1) lines.push(line);
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines), { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

/** As `qr` of a device carries it (docs/spec/devices.md, Device). */
export const qrDataUrl = async (text: string): Promise<string> =>
  `data:image/png;base64,${qrPng(text).toString('base64')}`;

export const qrSvg = (text: string): Promise<string> =>
  QRCode.toString([{ data: Buffer.from(text), mode: 'byte' }], {
    type: 'svg',
    errorCorrectionLevel: 'L',
    margin: quiet,
  });

/** Half blocks, two modules per character. Draws the light modules, for a dark terminal. */
export const qrText = (text: string): string => {
  const { size, dark } = modulesOf(text);
  const margin = 2;
  const light = (row: number, column: number): boolean =>
    row < 0 || column < 0 || row >= size || column >= size || dark[row * size + column] === 0;
  const lines: string[] = [];
  for (let row = -margin; row < size + margin; row += 2) {
    let line = '';
    for (let column = -margin; column < size + margin; column += 1) {
      const upper = light(row, column);
      const lower = light(row + 1, column);
      line += upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
    }
    lines.push(line);
  }
  return lines.join('\n');
};
