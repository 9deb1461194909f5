/**
 * Reads a chunk of history for privacy tokens, pairs of LID and phone number, and the NCT salt. Messages are skipped without being
 * decoded.
 *
 * Field numbers: whatsmeow proto/waHistorySync (August 2026). Baileys 7.0.0-rc14 does not know `nctSalt`.
 */
import { jidKind, withoutDevice } from '../../../domain/jid.ts';
import type { ToldToken } from '../../identity/privacy-tokens.ts';
import { type Field, fieldsOf } from '../../signal/protobuf-fields.ts';

export interface ChunkFacts {
  readonly tokens: readonly ToldToken[];
  readonly pairs: readonly { readonly lid: string; readonly pn: string }[];
  readonly nctSalt: Uint8Array | null;
}

const ofHistory = { conversation: 2, mapping: 15, nctSalt: 19 };
const ofMapping = { phone: 1, lid: 2 };
const ofConversation = { id: 1, token: 21, tokenAt: 22, tokenGivenAt: 28, phone: 39, lid: 42, accountLid: 49 };

/** More people than an account has: a chunk that names more is read so far. */
const mostPeople = 100_000;

const decoder = new TextDecoder();
const textIn = ({ value }: Field): string => (typeof value === 'number' ? '' : decoder.decode(value));
const copyOf = ({ value }: Field): Uint8Array | null => (typeof value === 'number' ? null : Uint8Array.from(value));
const numberIn = ({ value }: Field): number => (typeof value === 'number' ? value : 0);

const isPerson = (jid: string): boolean => jidKind(jid) === 'phone' || jidKind(jid) === 'lid';

interface Conversation {
  id: string;
  phone: string;
  lid: string;
  token: Uint8Array | null;
  tokenAt: number;
  tokenGivenAt: number;
}

const readConversation = (bytes: Uint8Array): Conversation => {
  const read: Conversation = { id: '', phone: '', lid: '', token: null, tokenAt: 0, tokenGivenAt: 0 };
  for (const field of fieldsOf(bytes)) {
    if (field.number === ofConversation.id) read.id = textIn(field);
    else if (field.number === ofConversation.token) read.token = copyOf(field);
    else if (field.number === ofConversation.tokenAt) read.tokenAt = numberIn(field);
    else if (field.number === ofConversation.tokenGivenAt) read.tokenGivenAt = numberIn(field);
    else if (field.number === ofConversation.phone) read.phone = textIn(field);
    else if (field.number === ofConversation.lid) read.lid = textIn(field);
    else if (field.number === ofConversation.accountLid && read.lid === '') read.lid = textIn(field);
  }
  return read;
};

const readMapping = (bytes: Uint8Array) => {
  const read = { pn: '', lid: '' };
  for (const field of fieldsOf(bytes)) {
    if (field.number === ofMapping.phone) read.pn = textIn(field);
    if (field.number === ofMapping.lid) read.lid = textIn(field);
  }
  return read;
};

const pairIn = ({ id, phone, lid }: Conversation): ChunkFacts['pairs'][number] | null => {
  if (jidKind(id) === 'lid') return phone === '' ? null : { lid: id, pn: phone };
  return jidKind(id) === 'phone' && lid !== '' ? { lid, pn: id } : null;
};

const tokenIn = ({ id, token, tokenAt, tokenGivenAt }: Conversation): ToldToken | null => {
  const isValid = token !== null && token.length > 0 && tokenAt > 0;
  if (!isPerson(id) || (!isValid && tokenGivenAt === 0)) return null;
  return {
    jid: withoutDevice(id),
    token: isValid ? token : null,
    timestamp: isValid ? tokenAt : 0,
    senderTimestamp: tokenGivenAt > 0 ? tokenGivenAt : null,
  };
};

/** Throws RangeError on bytes that are no chunk. */
export const readChunk = (bytes: Uint8Array): ChunkFacts => {
  const tokens: ToldToken[] = [];
  const pairs: ChunkFacts['pairs'][number][] = [];
  let nctSalt: Uint8Array | null = null;
  for (const field of fieldsOf(bytes)) {
    if (tokens.length >= mostPeople || pairs.length >= mostPeople) break;
    const { number, value } = field;
    if (typeof value === 'number') continue;
    if (number === ofHistory.nctSalt && value.length > 0) nctSalt = copyOf(field);
    else if (number === ofHistory.mapping) pairs.push(readMapping(value));
    else if (number === ofHistory.conversation) {
      const conversation = readConversation(value);
      const pair = pairIn(conversation);
      if (pair !== null) pairs.push(pair);
      const token = tokenIn(conversation);
      if (token !== null) tokens.push(token);
    }
  }
  return { tokens, pairs, nctSalt };
};
