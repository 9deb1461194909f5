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

/** Country codes of one digit or two; all others have three (ITU-T, Operational Bulletin 1114 of 2016). */
const countryCode = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** Separates the digits of a number. It does not break lines, and `copyPlainNumbers` finds it. */
const gap = '\u202f';

/** `+49 151 123 456 78`: groups of three, never a single digit. Grouping by country would need a table. */
export const phoneNumber = (digits: string): string => {
  const code = countryCode.exec(digits)?.[0] ?? '';
  const groups = digits.slice(code.length).match(/\d{3}(?=\d{2})|\d+/g) ?? [];
  return `+${[code, ...groups].filter(Boolean).join(gap)}`;
};

const gaps = /(?<=\d)\u202f(?=\d)/g;

/** Copies numbers without the spaces that are shown. */
export const copyPlainNumbers = (): void =>
  document.addEventListener('copy', (event) => {
    const text = getSelection()?.toString() ?? '';
    const plain = text.replaceAll(gaps, '');
    if (plain === text) return;
    event.clipboardData?.setData('text/plain', plain);
    event.preventDefault();
  });

/** Isolates a right-to-left name; the number would come first otherwise, with its plus sign at the end. */
export const nameAndNumber = (name: string | null, digits: string): string => {
  if (name === null || name === '') return phoneNumber(digits);
  return `${/[\u0590-\u08ff\ufb1d-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name}, ${phoneNumber(digits)}`;
};

/** `ABCD-EFGH`, grouped like the fields on the phone. */
export const pairingCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

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
