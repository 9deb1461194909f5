/** Phone numbers, grouped as their country writes them. A chunk of its own: the sign-in and the API reference need none. */
import { PhoneNumber } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/min/metadata';

/** Throws for a country code that nobody has. */
export const formatInternational = (digits: string): string =>
  new PhoneNumber(`+${digits}`, metadata).formatInternational();
