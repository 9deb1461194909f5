/**
 * Phone numbers as people write them (docs/clients/mcp.md). The clients, the dashboard and the n8n node have the same function; one table
 * of cases tests all. Longer texts are no numbers.
 */
const maxLength = 64;

/** The digits of a phone number in a usual spelling: `+49 (0)155 500-02222`. Other texts are returned unchanged. */
export const plainNumber = (text: string): string => {
  if (text.length > maxLength) return text;
  const shown = text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
  const hasPrefix = /^(?:\+|00)/.test(shown);
  const digits = (hasPrefix ? shown.replace('(0)', '') : shown)
    .replace(/^(?:\+|00)/, '')
    .replaceAll(/[\s().·/\u2212\p{Pd}]/gu, '');
  return /^[0-9]+$/.test(digits) ? digits : text;
};

const list = (text: string): string => text.split(',').map(plainNumber).join(',');

const numbered: ReadonlySet<string> = new Set([
  'chat',
  'except',
  'from',
  'mentions',
  'members',
  'number',
  'only',
  'person',
  'phoneNumber',
  'presence',
  'toNumber',
]);

/** Excludes dates and other objects with a JSON form of their own. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const withPlain = (name: string, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one: unknown) => withPlain(name, one));
  if (typeof value === 'string') {
    if (name === 'numbers') return list(value);
    return numbered.has(name) ? plainNumber(value) : value;
  }
  return isPlain(value) ? plainNumbers(value) : value;
};

/** Normalises numbers in the fields that name chats and people. */
export const plainNumbers = (given: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, withPlain(name, value)]));
