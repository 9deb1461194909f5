/** Times and numbers as people read them. */
const time = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

export const fullTime = (iso: string): string => full.format(new Date(iso));

export const clockTime = (iso: string): string => time.format(new Date(iso));

/** The time today, the day before that. */
export const shortTime = (iso: string): string => {
  const date = new Date(iso);
  return date.toDateString() === new Date().toDateString() ? time.format(date) : day.format(date);
};

export const dayOf = (date: Date): string => day.format(date);

/** `+49 1511 2345678` would need a table of all countries: the plain number with its plus is unambiguous. */
export const phoneNumber = (digits: string): string => `+${digits}`;

/** `ABCD-EFGH`, as the phone shows the fields. */
export const pairingCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;
