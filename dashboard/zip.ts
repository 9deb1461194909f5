/** Writes a ZIP archive (PKWARE APPNOTE 6.3.10) of a few small files. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZippedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** 1980-01-01: the same files always make the same archive. */
const firstDay = 0x21;
const deflated = 8;
/** Of the format, with which deflate came. */
const version = 20;

const numbers = (...values: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer =>
  Buffer.concat(
    values.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );

/** All files in one folder. */
export const zip = (folder: string, files: readonly ZippedFile[]): Buffer => {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const path = Buffer.from(`${folder}/${name}`);
    const packed = deflateRawSync(bytes, { level: 9 });
    const head = numbers(
      [version, 2],
      [0, 2],
      [deflated, 2],
      [0, 2],
      [firstDay, 2],
      [crc32(bytes), 4],
      [packed.length, 4],
      [bytes.length, 4],
      [path.length, 2],
      [0, 2],
    );
    const body = Buffer.concat([numbers([0x04034b50, 4]), head, path, packed]);
    const rest = numbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]);
    entries.push(numbers([0x02014b50, 4], [version, 2]), head, rest, path);
    bodies.push(body);
    offset += body.length;
  }
  const directory = Buffer.concat(entries);
  const count = files.length;
  const end = numbers(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [directory.length, 4],
    [offset, 4],
    [0, 2],
  );
  return Buffer.concat([...bodies, directory, end]);
};
