/**
 * Shows others that the account is writing or recording. The network forwards each `<chatstate>` once, and apps drop it after some seconds
 * (mautrix-whatsapp shows it for 15, 2026-08), so it is repeated and finally withdrawn.
 */
import type { WASocket } from '../engine/types.ts';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { TypingState } from '../../domain/chats/conversation.ts';
import type { Jid } from '../../domain/jid.ts';

const repeatMs = 10_000;
const stanzaOf = { text: 'composing', voice: 'recording', none: 'paused' } as const;

export interface TypingParts {
  readonly sock: Pick<WASocket, 'sendPresenceUpdate'>;
  readonly clock: Clock;
  /** The address used to write to the chat. */
  readonly addressOf: (chat: Jid) => Promise<Jid>;
}

export class Typing {
  readonly #parts: TypingParts;
  /** Next repetition or end by address of the chat. */
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

  /** Withdraws what is shown when a message leaves for the chat with these addresses. */
  sent(...addresses: readonly (Jid | null)[]): void {
    for (const address of addresses)
      if (address !== null && this.#forget(address)) void this.#send(address, 'none').catch(() => {});
  }

  /** Called when the connection has ended. */
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

  /** Returns true if something was shown. */
  #forget(address: Jid): boolean {
    this.shown.get(address)?.cancel();
    return this.shown.delete(address);
  }

  #send(address: Jid, state: TypingState): Promise<void> {
    return this.#parts.sock.sendPresenceUpdate(stanzaOf[state], address);
  }
}
