/** Stores a chunk's messages, a few at a time between live ones, without events. Field numbers: whatsmeow proto/waHistorySync (2026-08). */
import { setImmediate } from 'node:timers/promises';
import { proto } from '../../library/proto.ts';
import type { AuthenticationCreds } from '../../library/types.ts';
import type { KeyChange, Report } from '../../../domain/changes.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { Jid } from '../../../domain/jid.ts';
import type { MessageRecord } from '../../../domain/message.ts';
import type { MessageStore } from '../../../domain/stores.ts';
import { messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { meOf, groupChat, jidsIn, personChat, personOf } from '../../identity/people.ts';
import type { SessionStore } from '../../state/session-store.ts';
import type { LidMapping } from '../../signal/lid-mapping.ts';
import { changesOfHd } from '../../receive/updates.ts';
import { fieldsWithin, turnIn } from '../../signal/session-record.ts';
import { nextTurn } from '../../../domain/turns.ts';
import { Budget } from '../../translate/parts/limits.ts';
import { stanzaOfInfo, translateMessage } from '../../translate/message.ts';
import { maxFields } from './chunk.ts';
import type { Answered, HistoryRequests } from './requests.ts';

const ofHistory = { conversation: 2 };
const ofConversation = { id: 1, message: 2, end: 11 };
const ofMessage = { info: 1 };
/** `COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY` is 1; 0: the phone has older ones. */
const noMore = 1;
const messagesAtOnce = 50;

interface Conversation {
  readonly id: string;
  readonly more: boolean | null;
  readonly bytes: Uint8Array;
}

/** Of an answer, which is about one chat, and of a whole history. */
const [maxAnswered, maxLoaded] = [100, 100_000];
const longestJid = 100;

async function* conversationsIn(chunk: Uint8Array, max: number): AsyncGenerator<Conversation> {
  const room = { left: maxFields };
  let left = max;
  for (const { number, value } of fieldsWithin(chunk, room)) {
    const others = turnIn(room);
    if (others !== null) await others;
    if (number !== ofHistory.conversation || typeof value === 'number') continue;
    left -= 1;
    if (left < 0) return;
    let [id, more]: [string, boolean | null] = ['', null];
    for (const field of fieldsWithin(value, room)) {
      const pause = turnIn(room);
      if (pause !== null) await pause;
      const isText = typeof field.value !== 'number' && field.value.length <= longestJid;
      if (field.number === ofConversation.id && isText) id = Buffer.from(field.value).toString();
      if (field.number === ofConversation.end) more = field.value !== noMore;
    }
    if (id !== '') yield { id, more, bytes: value };
  }
}

async function* infosIn({ bytes }: Conversation): AsyncGenerator<Uint8Array> {
  const room = { left: maxFields };
  for (const { number, value } of fieldsWithin(bytes, room)) {
    const others = turnIn(room);
    if (others !== null) await others;
    if (number !== ofConversation.message || typeof value === 'number') continue;
    for (const field of fieldsWithin(value, room))
      if (field.number === ofMessage.info && typeof field.value !== 'number') yield field.value;
  }
}

export interface HistoryMessagesParts {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: Pick<SessionStore, 'commit'>;
  readonly messages: MessageStore;
  readonly lidMapping: LidMapping;
  readonly requests: HistoryRequests;
  readonly clock: Clock;
  readonly log: Logger;
}

export class HistoryMessages {
  readonly #parts: HistoryMessagesParts;

  constructor(parts: HistoryMessagesParts) {
    this.#parts = parts;
  }

  async answer(chunk: Uint8Array): Promise<Answered> {
    const { requests } = this.#parts;
    const facts: Report[] = [];
    const keys: KeyChange[] = [];
    for await (const conversation of conversationsIn(chunk, maxAnswered)) {
      const count = await this.#keep(conversation, true);
      const answered = requests.answered(await this.#chatOf(conversation.id), count, conversation.more);
      facts.push(...answered.facts);
      keys.push(...answered.keys);
    }
    return { facts, keys };
  }

  async load(chunk: Uint8Array): Promise<readonly Report[]> {
    let count = 0;
    for await (const conversation of conversationsIn(chunk, maxLoaded)) count += await this.#keep(conversation, false);
    return count > 0 ? [this.#parts.requests.loaded(null, count, null)] : [];
  }

  async #chatOf(id: string): Promise<Jid> {
    const { lidMapping } = this.#parts;
    if (id.endsWith('@g.us')) return groupChat(id).chat;
    await lidMapping.addressesOf(id);
    return personChat(personOf((jid: Jid) => lidMapping.peek(jid), id)).chat;
  }

  /** Number of new messages; unless `exact`, including existing ones. */
  async #keep(conversation: Conversation, exact: boolean): Promise<number> {
    const { deviceId, store, messages } = this.#parts;
    let count = 0;
    let batch: MessageRecord[] = [];
    const write = async (): Promise<void> => {
      if (batch.length === 0) return;
      await store.commit(deviceId, { messages: batch });
      count += batch.length;
      batch = [];
      await setImmediate();
    };
    const put = async (record: MessageRecord): Promise<void> => {
      const isNew = !exact || (await messages.find(deviceId, record.id, record.chat, true)) === null;
      if (isNew) batch.push(record);
      if (batch.length >= messagesAtOnce) await write();
    };
    const inHd: MessageRecord[] = [];
    for await (const info of infosIn(conversation)) {
      await nextTurn();
      for (const record of await this.#recordsOf(info)) {
        if (record.parts?.hdOf) inHd.push(record);
        else await put(record);
      }
    }
    await write();
    // The messages they are versions of may come before or after them.
    for (const record of inHd) if (!(await this.#mergeHd(record))) await put(record);
    await write();
    return count;
  }

  async #mergeHd(hd: MessageRecord): Promise<boolean> {
    const { deviceId, store, messages } = this.#parts;
    const original = await messages.find(deviceId, hd.parts!.hdOf!.messageId, hd.chat, true);
    const changes = original === null ? null : changesOfHd(original, hd);
    if (changes?.messageChanges) await store.commit(deviceId, { messageChanges: changes.messageChanges });
    return changes !== null;
  }

  /** Without changes of messages, and without unreadable ones. */
  async #recordsOf(bytes: Uint8Array): Promise<readonly MessageRecord[]> {
    const { creds, lidMapping, clock, log } = this.#parts;
    try {
      const budget = new Budget(bytes.length);
      const info = budget.run(() => proto.WebMessageInfo.decode(bytes));
      if (!info.message || !info.key?.id) return [];
      const me = meOf(creds);
      const stanza = stanzaOfInfo(info, me);
      for (const jid of jidsIn(stanza)) if (lidMapping.find(jid) === undefined) await lidMapping.addressesOf(jid);
      const peek = (jid: Jid) => lidMapping.peek(jid);
      const { messages = [] } = translateMessage(stanza, info.message, {
        me,
        peek,
        budget,
        now: clock.now(),
      });
      return messages.map((record) => historic(record));
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'a message of the history cannot be read');
      return [];
    }
  }
}

/** Old messages count as read. */
const historic = (record: MessageRecord): MessageRecord =>
  record.direction === 'out'
    ? { ...record, historic: true }
    : { ...record, historic: true, state: 'read', readAt: record.timestamp };
