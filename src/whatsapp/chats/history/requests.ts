/**
 * Requests for older messages: a peer message `HISTORY_SYNC_ON_DEMAND` with the chat's oldest known one (whatsmeow `BuildHistorySyncRequest`,
 * 2026-08). The phone may be off for days: after a minute an event reports nothing, and a later answer is still stored.
 */
import { proto } from '../../library/proto.ts';
import type { KeyChange, Report } from '../../../domain/changes.ts';
import type { Clock, Timer } from '../../../domain/clock.ts';
import type { Jid } from '../../../domain/jid.ts';
import type { MessageRecord } from '../../../domain/message.ts';
import { messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import type { SessionStore } from '../../state/session-store.ts';
import type { SendToPhone } from '../../send/peer-message.ts';

const { HISTORY_SYNC_ON_DEMAND } = proto.Message.PeerDataOperationRequestType;
const { PEER_DATA_OPERATION_REQUEST_MESSAGE } = proto.Message.ProtocolMessage.Type;

export const answerMs = 60_000;
const keyType = 'history-request';
const place = 'all';
const maxWaiting = 100;

export interface HistoryRequestParts {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'readKeys' | 'commit'>;
  readonly send: SendToPhone;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Answered {
  readonly facts: readonly Report[];
  readonly keys: readonly KeyChange[];
}

export class HistoryRequests {
  readonly #parts: HistoryRequestParts;
  readonly #asked = new Map<Jid, number>();
  readonly #timers = new Map<Jid, Timer>();

  constructor(parts: HistoryRequestParts) {
    this.#parts = parts;
  }

  async resume(): Promise<void> {
    const { deviceId, store } = this.#parts;
    const bytes = (await store.readKeys(deviceId, keyType, [place])).get(place);
    const kept: readonly (readonly [Jid, number])[] =
      bytes === undefined ? [] : JSON.parse(Buffer.from(bytes).toString());
    for (const [chat, at] of kept) if (!this.#asked.has(chat)) this.#wait(chat, at);
  }

  end(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#asked.clear();
  }

  async ask(chat: Jid, oldest: MessageRecord, count: number): Promise<void> {
    const { deviceId, store, send, clock } = this.#parts;
    await send({
      type: PEER_DATA_OPERATION_REQUEST_MESSAGE,
      peerDataOperationRequestMessage: {
        peerDataOperationRequestType: HISTORY_SYNC_ON_DEMAND,
        historySyncOnDemandRequest: {
          chatJid: oldest.chat,
          oldestMsgFromMe: oldest.direction === 'out',
          oldestMsgId: oldest.id,
          oldestMsgTimestampMs: oldest.timestamp,
          onDemandMsgCount: count,
        },
      },
    });
    if (this.#asked.size < maxWaiting) this.#wait(chat, clock.now());
    await store.commit(deviceId, { keys: [this.#kept()] });
  }

  answered(chat: Jid, count: number, more: boolean | null): Answered {
    this.#timers.get(chat)?.cancel();
    this.#timers.delete(chat);
    const keys = this.#asked.delete(chat) ? [this.#kept()] : [];
    return { facts: [this.loaded(chat, count, more)], keys };
  }

  /** `chat` null: all chats, after a pairing. */
  loaded(chat: Jid | null, count: number, more: boolean | null): Report {
    return { event: { type: 'history.loaded', data: { chat, count, more } }, at: this.#parts.clock.now() };
  }

  #wait(chat: Jid, at: number): void {
    const { deviceId, store, clock, log } = this.#parts;
    this.#asked.set(chat, at);
    this.#timers.get(chat)?.cancel();
    const failed = (error: unknown): void => log.debug({ error: messageOf(error) }, 'a history request did not end');
    const over = (): void => void store.commit(deviceId, this.answered(chat, 0, null)).catch(failed);
    this.#timers.set(chat, clock.after(Math.max(0, at + answerMs - clock.now()), over));
  }

  #kept(): KeyChange {
    const value = this.#asked.size === 0 ? null : Buffer.from(JSON.stringify([...this.#asked]));
    return { type: keyType, id: place, value };
  }
}
