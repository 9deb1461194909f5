/**
 * Usernames (docs/spec/chats.md, Usernames): an alias of a LID that its owner changes and others may take; never a key or the identity of
 * a chat. Form: zapo `protocol/username.ts` (2026-08-19), after `WAWebUsernameValidationUtils`.
 */
import { invalidRequest } from '../../errors.ts';

export interface NamedByUsername {
  /** Without `@`, as written. */
  readonly username: string;
  /** Four digits that the person may require. */
  readonly key: string | null;
}

const maxName = 35;
/** `@name:1234`. */
export const maxWritten = maxName + 6;

const form = /^[A-Za-z0-9_.]{3,35}$/;
const reserved = ['whatsapp', 'instagram', 'facebook', 'oculus'];
const endings = ['.com', '.org', '.net', '.int', '.edu', '.gov', '.mil', '.arpa', '.html', '.htm', '.txt', '.xml'];
const key = /^\d{4}$/;

export const usernameRule =
  '3 to 35 letters, digits, _ and . with a letter, without . at an end or twice in a row, and not like an address of the web';

const isUsername = (text: string): boolean => {
  if (text.length > maxName || !form.test(text) || !/[A-Za-z]/.test(text)) return false;
  if (text.startsWith('.') || text.endsWith('.') || text.includes('..')) return false;
  const name = text.toLowerCase();
  if (name.startsWith('www.') || endings.some((ending) => name.endsWith(ending))) return false;
  return !reserved.some((word) => name.includes(word));
};

/** Without `@`; null if it is no username. */
export const usernameIn = (text: unknown): string | null => {
  if (typeof text !== 'string' || text.length > maxWritten) return null;
  const name = text.startsWith('@') ? text.slice(1) : text;
  return isUsername(name) ? name : null;
};

/** `name` or `@name`, and the key. Throws InvalidRequest that names the member. */
export const parseUsername = (text: string, usernameKey: string | undefined, field: string): NamedByUsername => {
  const username = usernameIn(text);
  if (username === null) throw invalidRequest(`${field} must be a username: ${usernameRule}`);
  if (usernameKey !== undefined && !key.test(usernameKey)) throw invalidRequest('usernameKey must be 4 digits');
  return { username, key: usernameKey ?? null };
};

/** `name`, `@name` or `@name:1234`. Throws InvalidRequest. */
export const parseUsernames = (texts: readonly string[]): readonly NamedByUsername[] =>
  texts.map((text) => {
    const [name = '', ...keys] = text.trim().split(':', 3);
    const [given] = keys;
    if (keys.length > 1 || (given !== undefined && !key.test(given)))
      throw invalidRequest('usernames must be names, each with a key of 4 digits behind a colon if it has one');
    return parseUsername(name, given, 'usernames');
  });

export const sameUsername = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Type of keys with usernames, by the user of a LID; written by the driver, read by the store for contacts and chats. */
export const usernameKeys = 'username';

export interface KeptUsername {
  readonly username: string | null;
  readonly at: number;
}

const decoder = new TextDecoder();

/** Stored as `<ms> <name>`. */
export const keptUsernameOf = (value: Uint8Array): KeptUsername => {
  const [at, name = ''] = decoder.decode(value).split(' ', 2);
  return { username: name === '' ? null : name, at: Number(at) || 0 };
};

export const keptUsernameBytes = ({ username, at }: KeptUsername): Uint8Array => Buffer.from(`${at} ${username ?? ''}`);
