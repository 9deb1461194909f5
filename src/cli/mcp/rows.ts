/** Messages, people and groups as short rows, since a model pays for every character. */
import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;

const maxLength = 200;

export const messageRow = z.object({
  id: z.string(),
  direction: z.string().describe('in: received; out: sent by this account'),
  chat: z.string(),
  from: z.string().describe('Number of the sender, or JID where it is not known'),
  name: z.string().nullable().optional(),
  type: z.string(),
  text: z.string().nullable().describe(`At most ${maxLength} characters; get_message has the whole`),
  state: z.string(),
  timestamp: z.string(),
});

export interface Message extends Json {
  readonly id: string;
  readonly from: string;
  readonly fromNumber: string | null;
  readonly pushName: string | null;
  readonly text: string | null;
}

const cut = (text: string | null): string | null =>
  text === null || text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;

export const rowOf = ({ pushName, ...message }: Message): Json => ({
  ...message,
  from: message.fromNumber ?? message.from,
  ...(pushName !== null && { name: pushName }),
  text: cut(message.text),
});

const isEmpty = (value: unknown): boolean =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);

export const messageDetail = z.looseObject({
  id: z.string(),
  chat: z.string(),
  type: z.string(),
  state: z.string(),
  timestamp: z.string(),
});

export const detailOf = (message: Json): Json =>
  Object.fromEntries(Object.entries(message).filter(([name, value]) => name === 'starred' || !isEmpty(value)));

/** The number, or the JID if the number is unknown. */
