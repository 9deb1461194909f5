/** Recipients as people type them, and people as the service returns them. */
import { plainNumber } from '../../domain/typed-number.ts';
import { usageError } from '../client/failure.ts';

/** Accepts a number in any usual spelling, or a JID. Throws CommandError for anything else. */
export const recipientOf = (text: string): { readonly to: string } | { readonly toNumber: string } => {
  if (text.includes('@')) return { to: text };
  const toNumber = plainNumber(text);
  if (!/^\d+$/.test(toNumber)) throw usageError(`"${text}" is neither a phone number with its country code nor a JID`);
  return { toNumber };
};

export interface Person {
  readonly jid: string;
  readonly number: string | null;
}

export const nameOf = ({ number, jid }: Person): string => number ?? jid;
