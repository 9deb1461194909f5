/** The parts of a connection for conversation actions other than messages. */
import type { TypingState } from '../../domain/chats/conversation.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Report } from '../../domain/changes.ts';
import type { DeviceSettings } from '../../domain/device.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import { messageOf } from '../../errors.ts';
import type { HistoryRequests } from '../chats/history/requests.ts';
import type { PrivacyTokens } from '../identity/privacy-tokens.ts';
import { Addressing } from '../identity/addressing.ts';
import { registered } from '../identity/look-up.ts';
import type { Logger } from '../../log.ts';
import { meOf } from '../identity/people.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { FollowedPresence } from './presence.ts';

const repeatMs = 10_000;
const shapes = {
  text: { tag: 'composing', attrs: {} },
  voice: { tag: 'composing', attrs: { media: 'audio' } },
  none: { tag: 'paused', attrs: {} },
} as const;

interface TypingParts {
  readonly sock: Pick<Socket, 'sendNode'>;
  readonly creds: Pick<AuthenticationCreds, 'me'>;
  readonly clock: Clock;
  readonly addressOf: (chat: Jid) => Promise<Jid>;
}

/** The network forwards each `<chatstate>` once, and apps drop it after seconds (mautrix-whatsapp: 15, 2026-08): it is repeated, then withdrawn. */
export class Typing {
  readonly #parts: TypingParts;
  readonly shown = new Map<Jid, Timer>();

  constructor(parts: TypingParts) {
    this.#parts = parts;
  }

  async show(chat: Jid, state: TypingState, ms: number): Promise<void> {
    const address = await this.#parts.addressOf(chat);
    this.#forget(address);
    if (state === 'none') return this.#send(address, state);
    await this.#repeat(address, state, this.#parts.clock.now() + ms);
  }

  /** A message ends what is shown in its chat. */
  sent(...addresses: readonly (Jid | null)[]): void {
    for (const address of addresses)
      if (address !== null && this.#forget(address)) void this.#send(address, 'none').catch(() => {});
  }

  end(): void {
    for (const address of this.shown.keys()) this.#forget(address);
  }

  async #repeat(address: Jid, state: TypingState, until: number): Promise<void> {
    const { clock } = this.#parts;
    const left = until - clock.now();
    // A timer may fire slightly early, so the last one always ends it.
    const next = left > repeatMs ? () => this.#repeat(address, state, until) : () => this.#takeBack(address);
    const timer = clock.after(Math.min(left, repeatMs), () => void next().catch(() => {}));
    this.shown.set(address, timer);
    await this.#send(address, state);
  }

  #takeBack(address: Jid): Promise<void> {
    this.shown.delete(address);
    return this.#send(address, 'none');
  }

  #forget(address: Jid): boolean {
    this.shown.get(address)?.cancel();
    return this.shown.delete(address);
  }

  #send(address: Jid, state: TypingState): Promise<void> {
    const { sock, creds } = this.#parts;
    const from = jidKind(address) === 'lid' ? creds.me?.lid : creds.me?.id;
    const attrs = { ...(from !== undefined && { from }), to: address };
    return sock.sendNode({ tag: 'chatstate', attrs, content: [shapes[state]] });
  }
}

export interface ConversationParts {
  readonly typing: Typing;
  readonly presences: FollowedPresence;
  readonly history: HistoryRequests;
  readonly addressOf: (chat: Jid) => Promise<Jid>;
  readonly tokenFor: PrivacyTokens['nodeFor'];
  readonly tokenOf: PrivacyTokens['of'];
}

export interface ConversationOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  readonly memory: DeviceMemory;
  readonly settings: DeviceSettings;
  readonly sock: Socket;
  readonly lidMapping: LidMapping;
  readonly tokens: PrivacyTokens;
  readonly history: HistoryRequests;
  readonly whenEnded: Set<(error: unknown) => void>;
  readonly clock: Clock;
  readonly log: Logger;
}

export const attachConversation = (options: ConversationOptions): ConversationParts => {
  const { deviceId, creds, store, settings, sock, lidMapping, tokens, history, whenEnded, clock, log } = options;
  const addressing = new Addressing(creds, lidMapping);
  const addressOf = async (chat: Jid): Promise<Jid> =>
    jidKind(chat) === 'group' ? chat : (await addressing.of(await registered(options, chat))).to;
  const typing = new Typing({ sock, creds, clock, addressOf });
  whenEnded.add(() => typing.end());
  whenEnded.add(() => history.end());
  const failed = (error: unknown): void => log.warn({ error: messageOf(error) }, 'failed to read history requests');
  sock.on('open', () => void history.resume().catch(failed));
  const write = (presence: Report): Promise<unknown> => store.commit(deviceId, { facts: [presence] });
  const me = () => meOf(creds);
  const [tokenFor, tokenOf] = [(jid: Jid) => tokens.nodeFor(jid), (jid: Jid) => tokens.of(jid)];
  const parts = { sock, lidMapping, me, addressOf, tokenFor, write, clock, log };
  const presences = new FollowedPresence(parts, settings.presence);
  return { typing, presences, history, addressOf, tokenFor, tokenOf };
};
