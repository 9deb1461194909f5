/** Names of chats and contacts as a search compares them. */
import { plainText } from '../../domain/messages/search.ts';

export const matches = (q: string, name: string | null, number: string | null): boolean =>
  (name !== null && plainText(name).includes(plainText(q))) || (number?.includes(q.replace(/^\+/, '')) ?? false);
