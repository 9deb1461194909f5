/** Reads all but the messages of a history chunk. Field numbers: whatsmeow proto/waHistorySync (2026-08). */
import type { ChatChange } from '../../../domain/chats/chat.ts';
import type { ContactChange } from '../../../domain/chats/contact.ts';
import { jidKind, withoutDevice } from '../../../domain/jid.ts';
import { isToken, type ToldToken } from '../../identity/privacy-tokens.ts';
import { usernameIn } from '../../../domain/chats/usernames.ts';
import { timeOrNull } from '../../translate/parts/limits.ts';
import type { Timer } from '../timers.ts';
import { type Field, type FieldRoom, fieldMapOf, fieldsWithin, fieldsOf, turnIn } from '../../signal/session-record.ts';

export interface ChunkFacts {
  readonly tokens: readonly ToldToken[];
  readonly pairs: readonly { readonly lid: string; readonly pn: string }[];
  readonly nctSalt: Uint8Array | null;
  readonly chats: readonly ChatChange[];
  readonly contacts: readonly ContactChange[];
  readonly usernames: readonly { readonly lid: string; readonly username: string; readonly at: number }[];
  readonly timers: readonly (Timer & { readonly jid: string })[];
}

const ofHistory = { conversation: 2, pushName: 7, mapping: 15, nctSalt: 19 };
const ofPushName = { id: 1, name: 2 };
const ofMapping = { phone: 1, lid: 2 };
const ofConversation = {
  id: 1,
  unread: 6,
  timer: 9,
  timerSetAt: 10,
  at: 12,
  name: 13,
  marked: 19,
  displayName: 38,
  token: 21,
  tokenAt: 22,
  tokenGivenAt: 28,
  phone: 39,
  lid: 42,
  username: 43,
  accountLid: 49,
};

/** More than any account has; further people are ignored. */
const maxPeople = 100_000;

/** A chunk has two bytes at least for each; an account with 100,000 people and messages has fewer. */
export const maxFields = 500_000;
/** Bytes of a name or an address, which are cut to fewer characters. */
const maxTextBytes = 4_096;
/** Bytes of a push name or a pair with what else is said of it. */
const maxEntryBytes = 16_384;
const longestJid = 100;
const maxUnread = 1_000_000;

const decoder = new TextDecoder();
const textIn = ({ value }: Field): string =>
  typeof value === 'number' ? '' : decoder.decode(value.subarray(0, maxTextBytes));
const tokenOf = ({ value }: Field): Uint8Array | null => (isToken(value) ? Uint8Array.from(value) : null);
const numberIn = ({ value }: Field): number => (typeof value === 'number' && Number.isSafeInteger(value) ? value : 0);

const isPerson = (jid: string): boolean => jidKind(jid) === 'phone' || jidKind(jid) === 'lid';

interface Conversation {
  id: string;
  phone: string;
  name: string;
  at: number;
  unread: number;
  marked: boolean;
  lid: string;
  username: string;
  token: Uint8Array | null;
  tokenAt: number;
  tokenGivenAt: number;
  timer: number;
  timerSetAt: number;
}

const readConversation = async (bytes: Uint8Array, room: FieldRoom): Promise<Conversation> => {
  const read: Conversation = {
    id: '',
    phone: '',
    name: '',
    at: 0,
    unread: 0,
    marked: false,
    lid: '',
    username: '',
    token: null,
    tokenAt: 0,
    tokenGivenAt: 0,
    timer: 0,
    timerSetAt: 0,
  };
  for (const field of fieldsWithin(bytes, room)) {
    const others = turnIn(room);
    if (others !== null) await others;
    if (field.number === ofConversation.id) read.id = textIn(field);
    else if (field.number === ofConversation.token) read.token = tokenOf(field);
    else if (field.number === ofConversation.tokenAt) read.tokenAt = numberIn(field);
    else if (field.number === ofConversation.tokenGivenAt) read.tokenGivenAt = numberIn(field);
    else if (field.number === ofConversation.phone) read.phone = textIn(field);
    else if (field.number === ofConversation.at) read.at = timeOrNull(numberIn(field)) ?? 0;
    else if (field.number === ofConversation.unread) read.unread = Math.min(numberIn(field), maxUnread);
    else if (field.number === ofConversation.timer) read.timer = numberIn(field);
    else if (field.number === ofConversation.timerSetAt) read.timerSetAt = numberIn(field);
    else if (field.number === ofConversation.marked) read.marked = numberIn(field) === 1;
    else if (field.number === ofConversation.name) read.name = textIn(field);
    else if (field.number === ofConversation.displayName && read.name === '') read.name = textIn(field);
    else if (field.number === ofConversation.lid) read.lid = textIn(field);
    else if (field.number === ofConversation.username) read.username = textIn(field);
    else if (field.number === ofConversation.accountLid && read.lid === '') read.lid = textIn(field);
  }
  return read.id.length <= longestJid ? read : { ...read, id: '' };
};

const readMapping = (bytes: Uint8Array) => {
  const read = { pn: '', lid: '' };
  if (bytes.length > maxEntryBytes) return read;
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

/** As of the chat's last activity, since a chunk may be outdated. */
const usernameOf = ({ id, lid, username, at }: Conversation): ChunkFacts['usernames'][number] | null => {
  const [whose, name] = [jidKind(id) === 'lid' ? id : lid, usernameIn(username)];
  return name === null || jidKind(whose) !== 'lid' ? null : { lid: whose, username: name, at };
};

const longestName = 1_000;

/** The chat as of when the phone wrote the chunk. */
const chatIn = ({ id, lid, name, at, unread, marked }: Conversation): ChatChange | null => {
  if (jidKind(id) === 'other') return null;
  return {
    chat: withoutDevice(id),
    chatLid: jidKind(id) === 'phone' && lid !== '' ? withoutDevice(lid) : null,
    ...(name !== '' && { name: name.slice(0, longestName) }),
    ...(at > 0 && { at }),
    unread: unread === 0 && marked ? 'marked' : unread,
  };
};

const timerIn = ({ id, timer, timerSetAt }: Conversation): ChunkFacts['timers'][number] | null =>
  isPerson(id) && (timer > 0 || timerSetAt > 0) ? { jid: withoutDevice(id), seconds: timer, setAt: timerSetAt } : null;

const readPushName = (bytes: Uint8Array): ContactChange | null => {
  if (bytes.length > maxEntryBytes) return null;
  const fields = fieldMapOf(bytes);
  const [id = '', name = ''] = [ofPushName.id, ofPushName.name].map((number) => {
    const value = fields.get(number);
    return value instanceof Uint8Array ? decoder.decode(value) : '';
  });
  return isPerson(id) && id.length <= longestJid && name !== '' && name !== '-'
    ? { jid: withoutDevice(id), pushName: name.slice(0, longestName) }
    : null;
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

export const readChunk = async (bytes: Uint8Array): Promise<ChunkFacts> => {
  const tokens: ToldToken[] = [];
  const pairs: ChunkFacts['pairs'][number][] = [];
  const chats: ChatChange[] = [];
  const contacts: ContactChange[] = [];
  const timers: ChunkFacts['timers'][number][] = [];
  const usernames: ChunkFacts['usernames'][number][] = [];
  let nctSalt: Uint8Array | null = null;
  const room = { left: maxFields };
  for (const field of fieldsWithin(bytes, room)) {
    const others = turnIn(room);
    if (others !== null) await others;
    if ([tokens, pairs, chats, contacts].some(({ length }) => length >= maxPeople)) break;
    const { number, value } = field;
    if (typeof value === 'number') continue;
    if (number === ofHistory.nctSalt && value.length > 0) nctSalt = Uint8Array.from(value);
    else if (number === ofHistory.mapping) pairs.push(readMapping(value));
    else if (number === ofHistory.pushName) {
      const contact = readPushName(value);
      if (contact !== null) contacts.push(contact);
    } else if (number === ofHistory.conversation) {
      const conversation = await readConversation(value, room);
      const pair = pairIn(conversation);
      if (pair !== null) pairs.push(pair);
      const chat = chatIn(conversation);
      if (chat !== null) chats.push(chat);
      const username = usernameOf(conversation);
      if (username !== null) usernames.push(username);
      const timer = timerIn(conversation);
      if (timer !== null) timers.push(timer);
      const token = tokenIn(conversation);
      if (token !== null) tokens.push(token);
    }
  }
  return { tokens, pairs, nctSalt, chats, contacts, usernames, timers };
};
