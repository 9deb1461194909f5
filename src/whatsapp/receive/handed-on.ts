/**
 * The part of a message that Baileys is handed where it is not to see the whole: the sender's key of a group. It copies messages field by field, 1 s for each
 * megabyte of empty poll options (rc14), and of what people write it needs nothing else here.
 */
import { fieldsOf, lengthDelimited } from '../signal/protobuf-fields.ts';

/** A message without fields, with its padding. */
export const emptyMessage = Uint8Array.of(1);

/** Number of `senderKeyDistributionMessage`. */
const senderKey = 2;

/** `bytes`: without padding. Null where there is no key. */
export const senderKeyIn = (bytes: Uint8Array): Uint8Array | null => {
  try {
    for (const { number, value } of fieldsOf(bytes))
      if (number === senderKey && typeof value !== 'number') return lengthDelimited(senderKey, value);
  } catch {
    // Not a message, or of fields that messages do not have.
  }
  return null;
};

export const handedOn = (key: Uint8Array | null): Uint8Array =>
  key === null ? emptyMessage : Buffer.concat([key, emptyMessage]);
