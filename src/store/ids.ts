/** Event and delivery ids: device id and sequence in fixed-width base32, so that they sort in order and need no query to be read. */

const digits = '0123456789abcdefghjkmnpqrstvwxyz'; // Crockford's, in lower case: in order, and without i, l, o, u
const deviceWidth = 8; // 40 bits
const seqWidth = 10; // 50 bits
const pattern = /^(evt|dlv)_([0-9a-hjkmnp-tv-z]{18})$/;

const encode = (value: number, width: number): string => {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 32)) text = digits[rest % 32]! + text;
  return text.padStart(width, '0');
};

const decode = (text: string): number => {
  let value = 0;
  for (const digit of text) value = value * 32 + digits.indexOf(digit);
  return value;
};

export const eventId = (deviceId: number, seq: number): string =>
  `evt_${encode(deviceId, deviceWidth)}${encode(seq, seqWidth)}`;

export const deliveryId = (deviceId: number, seq: number): string =>
  `dlv_${encode(deviceId, deviceWidth)}${encode(seq, seqWidth)}`;

/** The delivery of an event goes by the same number. */
export const deliveryOfEvent = (id: string): string => `dlv_${id.slice(4)}`;

/** The sequence in an id of this kind and device; null for any other text. */
export const seqOf = (kind: 'evt' | 'dlv', deviceId: number, id: string): number | null => {
  const match = pattern.exec(id);
  if (match === null || match[1] !== kind) return null;
  const suffix = match[2]!;
  return decode(suffix.slice(0, deviceWidth)) === deviceId ? decode(suffix.slice(deviceWidth)) : null;
};
