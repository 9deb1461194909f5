/** The pairing code of one pairing: requested, offered, entered on the phone, and withdrawn when it can no longer work. */
import { type BinaryNode, getBinaryNodeChild } from '../library/nodes.ts';
import type { Socket } from '../socket/socket.ts';
import { numberVariants } from '../../domain/chats/recipient.ts';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { CodeRefusal, PairingOffer } from '../../domain/sessions/state.ts';
import { messageOf } from '../../errors.ts';
import { finishLinkCode, isFor, type LinkCode, primaryHelloOf, requestLinkCode } from './link-code.ts';
import { Refused } from '../socket/query.ts';

export interface CodeEvents {
  changed(): void;
  entered(): void;
  /** The entered code did not link: it was refused, or the attempt timed out. */
  ended(): void;
}

/** Longer than the 160 s of the QR refs; the connection stays open for it (whatsapp-rust #1163, 2026-07-28, from the web client). */
export const codeLifeMs = 180_000;

/** The limit of the network's own client. */
const maxEntries = 3;
const maxRefreshes = 3;
/** By then the phone has reported the failure to its owner. */
const attemptMs = 60_000;
const unknownNumber = 404;

const refusalOf = (error: unknown): CodeRefusal => ({
  detail: messageOf(error),
  unknownNumber: error instanceof Refused && error.code === unknownNumber,
});

export class CodeLink {
  readonly #sock: Socket;
  readonly #number: string;
  readonly #clock: Clock;
  readonly #events: CodeEvents;
  #formerCode: string | undefined;
  #link: LinkCode | null = null;
  #expiresAt = 0;
  #refusal: CodeRefusal | null = null;
  #entries = 0;
  #refreshes = 0;
  #pending = true;
  #stopped = false;
  #timer: Timer | null = null;
  #life: Timer | null = null;

  constructor(sock: Socket, number: string, clock: Clock, events: CodeEvents, formerCode?: string) {
    this.#sock = sock;
    this.#number = number;
    this.#clock = clock;
    this.#events = events;
    this.#formerCode = formerCode;
  }

  get isPending(): boolean {
    return this.#pending;
  }

  get offered(): PairingOffer['code'] {
    return this.#link === null ? null : { code: this.#link.code, expiresAt: this.#expiresAt };
  }

  get refusal(): CodeRefusal | null {
    return this.#refusal;
  }

  get isAlive(): boolean {
    return this.#pending || (this.#link !== null && this.#clock.now() < this.#expiresAt);
  }

  request(): void {
    void this.#request();
  }

  hear(node: BinaryNode): void {
    const registration = getBinaryNodeChild(node, 'link_code_companion_reg');
    const link = this.#link;
    if (link === null || !isFor(link, registration)) return;
    if (registration?.attrs.stage === 'refresh_code') this.#refresh();
    if (registration?.attrs.stage === 'primary_hello') void this.#finish(link, registration);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#life?.cancel();
  }

  async #request(): Promise<void> {
    this.#pending = true;
    const askedAt = this.#clock.now();
    try {
      this.#link = await this.#askForCode();
      this.#refusal = null;
      this.#live(askedAt + codeLifeMs);
    } catch (error) {
      this.#link = null;
      this.#refusal = refusalOf(error);
    }
    this.#formerCode = undefined;
    this.#pending = false;
    this.#entries = 0;
    if (!this.#stopped) this.#events.changed();
  }

  /** The number may be registered in its other spelling. */
  async #askForCode(): Promise<LinkCode> {
    const [given, other] = numberVariants(this.#number);
    try {
      return await requestLinkCode(this.#sock, given!, this.#formerCode);
    } catch (error) {
      if (other === undefined || !refusalOf(error).unknownNumber) throw error;
    }
    return requestLinkCode(this.#sock, other, this.#formerCode);
  }

  #live(until: number): void {
    this.#expiresAt = until;
    this.#life?.cancel();
    if (this.#stopped) return;
    this.#life = this.#clock.after(until - this.#clock.now(), () => {
      if (this.#timer === null) this.#takeBack(new Error('it has expired'));
    });
  }

  #refresh(): void {
    this.#refreshes += 1;
    if (this.#refreshes <= maxRefreshes) void this.#request();
    else this.#takeBack(new Error('the network has asked for a new code too often'));
  }

  async #finish(link: LinkCode, registration: BinaryNode): Promise<void> {
    const hello = primaryHelloOf(registration);
    if (hello === null || this.#entries >= maxEntries || this.#clock.now() >= this.#expiresAt) return;
    this.#entries += 1;
    this.#events.entered();
    this.#await();
    try {
      const finish = await finishLinkCode(this.#sock, link, hello);
      if (this.#stopped || link !== this.#link) return;
      this.#sock.creds.advSecretKey = finish.advSecret;
      await finish.send();
      this.#await();
    } catch (error) {
      if (!this.#stopped) this.#takeBack(error);
    }
  }

  /** Waits for the link; without one the code may be entered again. */
  #await(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(attemptMs, () => {
      this.#timer = null;
      if (this.#stopped) return;
      if (this.#entries >= maxEntries) this.#takeBack(new Error('it was entered wrongly too often'));
      else if (!this.isAlive) this.#takeBack(new Error('it has expired'));
      else this.#events.ended();
    });
  }

  #takeBack(error: unknown): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#life?.cancel();
    this.#link = null;
    this.#refusal = refusalOf(error);
    this.#events.ended();
    this.#events.changed();
  }
}
