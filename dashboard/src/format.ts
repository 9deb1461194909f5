/** Formats dates, phone numbers, sizes and pairing codes. */
import { locale } from './texts.ts';

const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

const appointment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const sizes = ['byte', 'kilobyte', 'megabyte'] as const;

export const fullTime = (iso: string): string => full.format(new Date(iso));

export const clockTime = (iso: string): string => time.format(new Date(iso));

/** The time for today, the date for earlier days. */
export const shortTime = (iso: string): string => {
  const date = new Date(iso);
  return date.toDateString() === new Date().toDateString() ? time.format(date) : day.format(date);
};

export const dayOf = (date: Date): string => day.format(date);

/** Only adds the plus: grouping the digits would need a table of all countries. */
export const phoneNumber = (digits: string): string => `+${digits}`;

/** The name isolated where its script runs from right to left: else the number would come first, with its plus at the end. */
export const nameAndNumber = (name: string | null, digits: string): string => {
  if (name === null || name === '') return phoneNumber(digits);
  return `${/[\u0590-\u08ff\ufb1d-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name}, ${phoneNumber(digits)}`;
};

/** `ABCD-EFGH`, grouped like the fields on the phone. */
export const pairingCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** Without seconds, which no appointment has. */
export const eventTime = (iso: string): string => appointment.format(new Date(iso));

/** `1:05`. */
export const playTime = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** `1.2 MB`. */
export const fileSize = (bytes: number): string => {
  const step = bytes < 1000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: sizes[step],
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 2 ? 1 : 0,
  }).format(bytes / 1000 ** step);
};
