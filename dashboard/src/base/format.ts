/** Formats dates, phone numbers, sizes and pairing codes. */
import { locale } from './texts.ts';

const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

const appointment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const sizes = ['byte', 'kilobyte', 'megabyte'] as const;

export const fullTime = (iso: string): string => full.format(new Date(iso));

const withSeconds = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', hourCycle: 'h23' });
const dayAndSeconds = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** With seconds; with the date for earlier days. */
export const exactTime = (iso: string): string =>
  (isSameDay(iso, new Date().toISOString()) ? withSeconds : dayAndSeconds).format(new Date(iso));

export const clockTime = (iso: string): string => time.format(new Date(iso));

/** The time for today, the date for earlier days. */
export const shortTime = (iso: string): string => {
  const date = new Date(iso);
  return (isSameDay(iso, new Date().toISOString()) ? time : day).format(date);
};

/** With its year. */
export const dateOf = (iso: string): string => dayOfYear.format(new Date(iso));

export const dayOf = (date: Date): string => day.format(date);

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const dayOfYear = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });

/** Midnight where the reader is. */
const midnight = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** True if both are on one day of the reader. */
export const isSameDay = (one: string, other: string): boolean => midnight(new Date(one)) === midnight(new Date(other));

/** "Today", "Yesterday" or the date, with its year if it is another one. */
export const dayName = (iso: string): string => {
  const [date, today] = [new Date(iso), new Date()];
  // A day of a change of the clock has 23 or 25 hours.
  const ago = Math.round((midnight(date) - midnight(today)) / 86_400_000);
  if (ago !== 0 && ago !== -1) return date.getFullYear() === today.getFullYear() ? dayOf(date) : dayOfYear.format(date);
  const name = relative.format(ago, 'day');
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
};

let formatInternational: ((digits: string) => string) | null = null;

const waiting = new Set<() => void>();

export const areNumbersGrouped = (): boolean => formatInternational !== null;

export const onNumbersGrouped = (listener: () => void): (() => void) => {
  waiting.add(listener);
  return () => waiting.delete(listener);
};

/** Nothing waits for it: until then, the digits are shown as they are. */
export const loadNumbers = async (): Promise<void> => {
  try {
    ({ formatInternational } = await import('./numbers.ts'));
  } catch {
    // An old page of a service that was updated since.
    return;
  }
  for (const listener of waiting) listener();
};

/** Separates the digits of a number. It does not break lines, and `copyPlainNumbers` finds it. */
const gap = '\u202f';

/** `+49 15550 001111`, as its country groups it; text that is no number as it is. */
export const phoneNumber = (digits: string): string => {
  if (formatInternational === null || !/^\d{5,15}$/.test(digits)) return `+${digits}`;
  try {
    return formatInternational(digits).replaceAll(' ', gap);
  } catch {
    return `+${digits}`;
  }
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

/** `€20.00`; without a currency, the number alone. */
export const price = (amount: number, currency: string | null): string => {
  try {
    if (currency !== null) return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount);
  } catch {
    // No currency has such a code.
  }
  return new Intl.NumberFormat(locale).format(amount);
};

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
