/** Protobuf fields that the engine's definitions do not have. */

const varint = (value: number): number[] => {
  const bytes: number[] = [];
  for (; value > 0x7f; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  bytes.push(value);
  return bytes;
};

/** A field of bytes. */
export const bytesField = (number: number, value: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(value.length)]), value]);

export const numberField = (number: number, value: number): Buffer =>
  Buffer.from([...varint(number * 8), ...varint(value)]);

/** `HistorySync.nctSalt` (whatsmeow proto/waHistorySync, August 2026). */
export const historyNctSalt = (salt: Uint8Array): Buffer => bytesField(19, salt);
/** `SyncActionValue.nctSaltSyncAction.salt` (whatsmeow proto/waSyncAction, August 2026). */
export const actionNctSalt = (salt: Uint8Array): Buffer => bytesField(80, bytesField(1, salt));
