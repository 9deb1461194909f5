/** What JSON costs to parse, found out before: an empty list takes three bytes of text, and twenty times as many in memory. */
const quote = 0x22;
const backslash = 0x5c;

/** More than any request has. */
const maxValues = 20_000;
const maxDepth = 64;
/** Outside of texts, in bytes. */
const maxBare = 1_048_576;

/** What begins, and what parts values. */
const begins = new Uint8Array(256);
for (const byte of Buffer.from('"[{,')) begins[byte] = 1;
const steps = new Int8Array(256);
for (const byte of Buffer.from('[{')) steps[byte] = 1;
for (const byte of Buffer.from(']}')) steps[byte] = -1;

/** Whether it has few values, not deep in each other, and little outside of texts. Says nothing about its form. */
export const isCheapJson = (bytes: Buffer, max = maxValues): boolean => {
  let escape = bytes.indexOf(backslash);
  let [values, depth, bare] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    values += begins[byte]!;
    depth += steps[byte]!;
    bare += 1;
    if (values > max || depth > maxDepth || bare > maxBare) return false;
    if (byte !== quote) continue;
    // To the closing quote: long texts without escapes are searched natively.
    const begin = at + 1;
    const end = bytes.indexOf(quote, begin);
    if (end === -1) return true;
    if (escape !== -1 && escape < begin) escape = bytes.indexOf(backslash, begin);
    at = escape === -1 || escape > end ? end : escape;
    while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  }
  return true;
};
