/** A Signal key as a row: found by a hash of its id, and the id itself sealed beside the value, for who moves the device. */
import type { Seal } from '../sealing/seal.ts';

const keyContext = (deviceId: number, type: string, idHash: string): string =>
  `signal_keys/${deviceId}/${type}/${idHash}`;

export interface KeyRow {
  readonly device_id: number;
  readonly type: string;
  readonly id_hash: string;
  readonly value: Uint8Array;
}

export const keyRowContext = (row: Omit<KeyRow, 'value'>): string => keyContext(row.device_id, row.type, row.id_hash);

/** Two bytes of length, the id, the value. */
export const sealKey = (
  seal: Seal,
  deviceId: number,
  type: string,
  idHash: string,
  { id, value }: { readonly id: string; readonly value: Uint8Array },
): Uint8Array => {
  const name = Buffer.from(id);
  const head = Buffer.allocUnsafe(2);
  head.writeUInt16BE(name.length);
  return seal.seal(Buffer.concat([head, name, value]), keyContext(deviceId, type, idHash));
};

export const openKey = (seal: Seal, row: KeyRow): { readonly id: string; readonly value: Uint8Array } => {
  const plain = Buffer.from(seal.open(row.value, keyRowContext(row)));
  const start = 2 + plain.readUInt16BE(0);
  return { id: plain.toString('utf8', 2, start), value: plain.subarray(start) };
};
