/** Formats dates, phone numbers and pairing codes. */
const time = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

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

/** `ABCD-EFGH`, grouped like the fields on the phone. */
export const pairingCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;
