/** Recipients as people type them, and people as the service returns them. */
import { plainNumber } from '../domain/typed-number.ts';
import { usageError, type Things } from './client.ts';

type Recipient =
  | { readonly to: string }
  | { readonly toNumber: string }
  | { readonly toUsername: string; readonly usernameKey?: string };

/** `@name`, or `@name:1234` with the key the person requires. */
const byUsername = (text: string): Recipient => {
  const [toUsername = '', ...key] = text.split(':');
  return key.length === 0 ? { toUsername } : { toUsername, usernameKey: key.join(':') };
};

/** A number in any usual spelling, `@` and a username, or a JID. Throws CommandError for anything else. */
export const recipientOf = (text: string): Recipient => {
  if (text.startsWith('@')) return byUsername(text);
  if (text.includes('@')) return { to: text };
  const toNumber = plainNumber(text);
  if (!/^\d+$/.test(toNumber))
    throw usageError(`"${text}" is neither a phone number with its country code, nor @ and a username, nor a JID`);
  return { toNumber };
};

export type Person = Things['Person'];

export const nameOf = ({ number, jid }: Person): string => number ?? jid;
