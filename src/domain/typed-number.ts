/** Phone numbers as people write them (docs/clients/mcp.md). The clients have the same function; one table of cases tests all. */
const maxLength = 64;

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

/** Normalizes numbers in members that name chats and people. */
export const plainNumbers = (given: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, withPlain(name, value)]));
