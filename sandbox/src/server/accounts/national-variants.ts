/** National variants of a number: the same subscriber, written in two ways. */

/** A mobile number of Brazil may have a 9 after its area code, or not (older accounts). */
const brazil = (digits: string): string[] => {
  if (/^55\d{2}9\d{8}$/.test(digits)) return [digits.slice(0, 4) + digits.slice(5)];
  return /^55\d{10}$/.test(digits) ? [`${digits.slice(0, 4)}9${digits.slice(4)}`] : [];
};

/** A mobile number may have a digit after its country code, or not: 1 in Mexico, 9 in Argentina. */
const afterCountry = (digits: string, country: string, extra: string): string[] => {
  if (!digits.startsWith(country)) return [];
  const rest = digits.slice(country.length);
  if (rest.length === 11 && rest.startsWith(extra)) return [country + rest.slice(1)];
  return rest.length === 10 ? [country + extra + rest] : [];
};

/** The number itself first. */
export const variantsOf = (digits: string): string[] => [
  digits,
  ...brazil(digits),
  ...afterCountry(digits, '52', '1'),
  ...afterCountry(digits, '54', '9'),
];
