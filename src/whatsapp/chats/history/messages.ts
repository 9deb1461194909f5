/**
 * Messages of a history chunk as records of the log: read one at a time, written a few at a time, and never told as received. Live messages get their turn
 * between two writes.
 *
 * Field numbers: whatsmeow proto/waHistorySync (August 2026).
 */
import { setImmediate } from 'node:timers/promises';
import { proto } from '../../engine/proto.ts';
import type { AuthenticationCreds } from '../../engine/types.ts';
import type { KeyChange } from '../../../domain/changes.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { NewEvent } from '../../../domain/event.ts';
import type { Jid } from '../../../domain/jid.ts';
import type { MessageRecord } from '../../../domain/message.ts';
import type { MessageStore } from '../../../domain/stores.ts';
import { messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { meOf } from '../../identity/account.ts';
import type { SessionStore } from '../../state/session-store.ts';
import type { LidMapping } from '../../signal/lid-mapping.ts';
import { changesOfHd } from '../../receive/updates.ts';
import { fieldsOf } from '../../signal/session-record.ts';
import { Budget } from '../../translate/budget.ts';
import { stanzaOfInfo, translateMessage } from '../../translate/message.ts';
import { groupChat, jidsIn, personChat, personOf } from '../../identity/people.ts';
import { nextTurn } from '../../../domain/turns.ts';
import type { Answered, HistoryRequests } from './requests.ts';

const ofHistory = { conversation: 2 };
const ofConversation = { id: 1, message: 2, end: 11 };
const ofMessage = { info: 1 };
/** `COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY` is 1; 0: the phone has older ones. */
const noMore = 1;
const messagesAtOnce = 50;

interface Conversation {
  readonly id: string;
  /** Null: the phone has not said so. */
  readonly more: boolean | null;
  readonly bytes: Uint8Array;
}

function* conversationsIn(chunk: Uint8Array): Generator<Conversation> {
  for (const { number, value } of fieldsOf(chunk)) {
    if (number !== ofHistory.conversation || typeof value === 'number') continue;
    let [id, more]: [string, boolean | null] = ['', null];
    for (const field of fieldsOf(value)) {
      if (field.number === ofConversation.id && typeof field.value !== 'number')
        id = Buffer.from(field.value).toString();
      if (field.number === ofConversation.end) more = field.value !== noMore;
    }
    yield { id, more, bytes: value };
  }
}

function* infosIn({ bytes }: Conversation): Generator<Uint8Array> {
  for (const { number, value } of fieldsOf(bytes)) {
    if (number !== ofConversation.message || typeof value === 'number') continue;
    for (const field of fieldsOf(value))
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

  /** Messages that were asked for, of the chats of the chunk; what ends their requests. */
  async answer(chunk: Uint8Array): Promise<Answered> {
    const { requests } = this.#parts;
    const events: NewEvent[] = [];
    const keys: KeyChange[] = [];
    for (const conversation of conversationsIn(chunk)) {
      const count = await this.#keep(conversation, true);
      const answered = requests.answered(await this.#chatOf(conversation.id), count, conversation.more);
      events.push(...answered.events);
      keys.push(...answered.keys);
    }
    return { events, keys };
  }

  /** Messages that the phone hands over after a pairing; what tells of them. */
  async load(chunk: Uint8Array): Promise<readonly NewEvent[]> {
    let count = 0;
    for (const conversation of conversationsIn(chunk)) count += await this.#keep(conversation, false);
    return count > 0 ? [this.#parts.requests.loaded(null, count, null)] : [];
  }

  async #chatOf(id: string): Promise<Jid> {
    const { lidMapping } = this.#parts;
    if (id.endsWith('@g.us')) return groupChat(id).chat;
    await lidMapping.addressesOf(id);
    return personChat(personOf((jid: Jid) => lidMapping.peek(jid), id)).chat;
  }

  /** How many are new; where `exact` is false, those that were there already count as well. */
  async #keep(conversation: Conversation, exact: boolean): Promise<number> {
    const { deviceId, store, messages } = this.#parts;
    let count = 0;
    let batch: MessageRecord[] = [];
    const write = async (): Promise<void> => {
      if (batch.length > 0) await store.commit(deviceId, { messages: batch });
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
    for (const info of infosIn(conversation)) {
      await nextTurn();
      for (const record of await this.#recordsOf(info)) {
        if (record.parts?.hdOf) inHd.push(record);
        else await put(record);
      }
    }
    await write();
    // The message that they are versions of may come before or after them.
    for (const record of inHd) if (!(await this.#mergeHd(record))) await put(record);
    await write();
    return count;
  }

  /** False where it is a message of its own. */
  async #mergeHd(hd: MessageRecord): Promise<boolean> {
    const { deviceId, store, messages } = this.#parts;
    const original = await messages.find(deviceId, hd.parts!.hdOf!.messageId, hd.chat, true);
    const changes = original === null ? null : changesOfHd(original, hd);
    if (changes?.messageChanges) await store.commit(deviceId, { messageChanges: changes.messageChanges });
    return changes !== null;
  }

  /** Changes of messages, and what cannot be read, are left out. */
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

/** Old messages are read by now: nobody is told so again. */
const historic = (record: MessageRecord): MessageRecord =>
  record.direction === 'out'
    ? { ...record, historic: true }
    : { ...record, historic: true, state: 'read', readAt: record.timestamp };
