/**
 * Shows that the account is writing or recording. The network forwards each `<chatstate>` once, and apps drop it after some seconds
 * (mautrix-whatsapp: 15, 2026-08), so it is repeated and finally withdrawn.
 */
import type { Socket } from '../socket/socket.ts';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { TypingState } from '../../domain/chats/conversation.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import type { AuthenticationCreds } from '../library/types.ts';

const repeatMs = 10_000;
const shapes = {
  text: { tag: 'composing', attrs: {} },
  voice: { tag: 'composing', attrs: { media: 'audio' } },
  none: { tag: 'paused', attrs: {} },
} as const;

export interface TypingParts {
  readonly sock: Pick<Socket, 'sendNode'>;
  readonly creds: Pick<AuthenticationCreds, 'me'>;
  readonly clock: Clock;
  readonly addressOf: (chat: Jid) => Promise<Jid>;
}

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
