/** The outside of Signal messages: the version byte, fields that anybody can read, and a MAC or a signature. */
import { proto } from 'baileys';

const VERSION_BYTES = 1;
const MAC_BYTES = 8;
const SIGNATURE_BYTES = 64;

export interface Ciphertext {
  /** `pkmsg` sets the session up as well. */
  readonly type: 'pkmsg' | 'msg';
  readonly body: Uint8Array;
}

export const readMessage = (body: Uint8Array): proto.SignalMessage =>
  proto.SignalMessage.decode(body.subarray(VERSION_BYTES, -MAC_BYTES));

export const readSetup = (body: Uint8Array): proto.PreKeySignalMessage =>
  proto.PreKeySignalMessage.decode(body.subarray(VERSION_BYTES));

export const readGroupMessage = (body: Uint8Array): proto.SenderKeyMessage =>
  proto.SenderKeyMessage.decode(body.subarray(VERSION_BYTES, -SIGNATURE_BYTES));

export const sameBytes = (a: Uint8Array | null | undefined, b: Uint8Array | null | undefined): boolean =>
  a != null && b != null && Buffer.compare(a, b) === 0;
