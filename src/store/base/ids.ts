/**
 * Event and delivery ids: device id and sequence in fixed-width base32, so that they sort in order and parse without a query.
 * A sequence is a hybrid logical clock: at least the previous one plus one, with the current millisecond in its upper 41 bits.
 * So no id is used twice, even after the database has lost its newest events (a restored backup, an unsafe disk).
 */

const digits = '0123456789abcdefghjkmnpqrstvwxyz'; // Crockford's, in lower case: sorts in order, without i, l, o, u
const deviceWidth = 8; // 40 bits
const seqWidth = 10;
const webhookWidth = 8;
const pattern = /^(evt|dlv)_([0-9a-hjkmnp-tv-z]{18})([0-9a-hjkmnp-tv-z]{8})?$/;

/** Sequences begin at 2026-01-01T00:00:00Z and last for 69 years. */
const firstMs = Date.UTC(2026, 0, 1);
const maxMs = 2 ** 41 - 1;
/** Above 512 events of a device per millisecond, sequences run ahead of the clock. */
const perMs = 2 ** 9;

export const lowestSeqAt = (now: number): number => Math.min(Math.max(Math.floor(now) - firstMs, 0), maxMs) * perMs;

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

/** Ends with the webhook's id, unless it is the device's primary webhook. */
export const deliveryId = (deviceId: number, seq: number, webhook: { id: number; isPrimary: boolean }): string =>
  `dlv_${encode(deviceId, deviceWidth)}${encode(seq, seqWidth)}${webhook.isPrimary ? '' : encode(webhook.id, webhookWidth)}`;

/** Null if the text is no id of this kind. */
export const placeIn = (
  kind: 'evt' | 'dlv',
  id: string,
): { readonly deviceId: number; readonly seq: number } | null => {
  const match = pattern.exec(id);
  if (match === null || match[1] !== kind || (kind === 'evt' && match[3] !== undefined)) return null;
  const place = match[2]!;
  return { deviceId: decode(place.slice(0, deviceWidth)), seq: decode(place.slice(deviceWidth)) };
};

export const seqOf = (kind: 'evt' | 'dlv', deviceId: number, id: string): number | null => {
  const place = placeIn(kind, id);
  return place?.deviceId === deviceId ? place.seq : null;
};
