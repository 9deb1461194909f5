/** Phone numbers as people write them: every client of the interface has the same function, and one table of cases tests all. */

/** Longer texts are no numbers. */
const maxLength = 64;

/** The digits of a phone number that is written as people do: `+49 (0)155 500-02222`. Any other text stays as it is. */
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
