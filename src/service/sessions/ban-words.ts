/** A temporary ban in words that a person can act on. */
import type { TemporaryBan } from '../../domain/sessions/state.ts';

/** Codes of failure 402 (whatsmeow types/events/events.go, 2026-08-21; 105 is not known there). */
const causes: Readonly<Record<number, string>> = {
  101: 'it wrote to too many people who do not have it in their address books',
  102: 'too many people have blocked it',
  103: 'it made too many groups with people who do not have it in their address books',
  104: 'it sent the same message to too many people',
  106: 'it sent too many messages to broadcast lists',
};

const causeOf = (code: number | null): string => {
  if (code === null) return 'the network gave no cause';
  return `${causes[code] ?? 'it may have violated the terms of service'}, code ${code}`;
};

const endOf = (until: number | null): string =>
  until === null ? ', for a time that it did not tell' : ` until ${new Date(until).toISOString()}`;

export const banWords = ({ code, until }: TemporaryBan): string =>
  `The network has banned the account${endOf(until)} (${causeOf(code)}). The link is kept, and the device comes back by itself when the ban is over; ` +
  'restart it to try sooner, once a review in the app on the phone has lifted the ban.';
