/**
 * Timers of disappearing messages: in 1:1 chats from the newest message of either side, in groups from the newest notification.
 * Rule: a message repeats the chat's timer as `expiration`, and when it was set as `ephemeralSettingTimestamp` (seconds). Without them
 * the other side's apps keep it forever, and warn of an old version. Source: zapo `message/context-info.ts` (2026-08-19).
 */
import type { KeyChange } from '../../domain/changes.ts';
import type { ChatRef } from '../identity/people.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import type { SessionStore } from '../state/session-store.ts';

export interface Timer {
  readonly seconds: number;
  readonly setAt: number;
}

const keyType = 'chat-timer';
const off: Timer = { seconds: 0, setAt: 0 };

export class ChatTimers {
  readonly #deviceId: number;
  readonly #store: Pick<SessionStore, 'readKeys'>;
  readonly #known = boundedCache<Timer>(2_000);

  constructor(options: { readonly deviceId: number; readonly store: Pick<SessionStore, 'readKeys'> }) {
    this.#deviceId = options.deviceId;
    this.#store = options.store;
  }

  async of(chat: ChatRef): Promise<Timer> {
    const name = chat.chatLid ?? chat.chat;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const stored = (await this.#store.readKeys(this.#deviceId, keyType, [name])).get(name);
    const [seconds, setAt] = stored === undefined ? [] : Buffer.from(stored).toString().split(' ').map(Number);
    const timer = { seconds: seconds || 0, setAt: setAt || 0 };
    if (this.#known.get(name) === undefined) this.#known.set(name, timer);
    return this.#known.get(name) ?? timer;
  }

  told(chat: ChatRef, { seconds, setAt }: Timer): readonly KeyChange[] {
    const name = chat.chatLid ?? chat.chat;
    const known = this.#known.get(name) ?? off;
    if (setAt < known.setAt || (seconds === known.seconds && setAt === known.setAt)) return [];
    this.#known.set(name, { seconds, setAt });
    return [{ type: keyType, id: name, value: Buffer.from(`${seconds} ${setAt}`) }];
  }
}
