/** A pairing under way: the QR texts and the pairing code that are offered, and how long each is good for. */
import { randomBytes } from 'node:crypto';
import type { BinaryNode, WASocket } from 'baileys';
import type { Clock } from '../domain/clock.ts';
import type { PairingOffer } from '../domain/session-state.ts';
import { messageOf } from '../errors.ts';
import { requestPairingCode } from './pairing-code.ts';

export interface PairingEvents {
  offer(offer: PairingOffer): void;
  passkeyRequired(): void;
  failed(detail: string): void;
}

const firstQrMs = 60_000;
const laterQrMs = 20_000;

const childrenOf = (node: BinaryNode): readonly BinaryNode[] => (Array.isArray(node.content) ? node.content : []);

/** A QR's text with another secret in it: `…#ref,noise,identity,adv,platform`. */
export const withSecret = (qrText: string, advSecret: string): string => {
  const start = qrText.indexOf('#') + 1;
  const fields = qrText.slice(start).split(',');
  fields[fields.length - 2] = advSecret;
  return qrText.slice(0, start) + fields.join(',');
};

export class Pairing {
  readonly #sock: WASocket;
  readonly #number: string | null;
  readonly #clock: Clock;
  readonly #events: PairingEvents;
  #qr: { readonly text: string; readonly expiresAt: number } | null = null;
  #code: PairingOffer['code'] = null;
  #refs = 0;
  #codeEntered = false;
  #rotationDue = false;

  constructor(sock: WASocket, options: { number: string | null; clock: Clock; events: PairingEvents }) {
    this.#sock = sock;
    this.#number = options.number;
    this.#clock = options.clock;
    this.#events = options.events;
    const { ws } = sock;
    ws.prependListener('CB:iq,type:set,pair-device', (node: BinaryNode) => this.#noteRefs(node));
    ws.prependListener('CB:notification,type:companion_reg_refresh', (node: BinaryNode) => this.#refresh(node));
    ws.prependListener('CB:notification,type:passkey_prologue_request', (node: BinaryNode) => this.#passkey(node));
    ws.prependListener('CB:notification,type:link_code_companion_reg', () => {
      this.#codeEntered = true;
    });
  }

  /** Each QR that Baileys makes of the network's refs. */
  onQr(text: string): void {
    const first = this.#qr === null;
    this.#qr = { text, expiresAt: this.#clock.now() + (first ? firstQrMs : laterQrMs) };
    if (first && this.#number !== null) void this.#askForCode(this.#number);
    else if (this.#number === null || this.#code !== null) this.#offer();
    // A code that was entered and came to nothing by now is a failed attempt: what was put off is done.
    if (!first && this.#rotationDue) this.#rotate();
  }

  #noteRefs(node: BinaryNode): void {
    const [pairDevice] = childrenOf(node);
    this.#refs = pairDevice === undefined ? 0 : childrenOf(pairDevice).filter(({ tag }) => tag === 'ref').length;
  }

  #offer(): void {
    if (this.#qr === null) return;
    const { creds } = this.#sock.authState;
    // Baileys keeps showing the secret that it began with.
    const qrText = withSecret(this.#qr.text, creds.advSecretKey);
    this.#events.offer({ qrText, qrExpiresAt: this.#qr.expiresAt, code: this.#code });
  }

  async #askForCode(number: string): Promise<void> {
    // The network ends the connection when the refs have run out, and the code ends with it.
    const expiresAt = this.#clock.now() + firstQrMs + laterQrMs * Math.max(this.#refs - 1, 0);
    try {
      this.#code = { code: await requestPairingCode(this.#sock, number), expiresAt };
      this.#offer();
    } catch (error) {
      this.#events.failed(messageOf(error));
    }
  }

  /**
   * After a scan the network may retire the secret in the QR; only a QR with a new one can complete the pairing. While a
   * pairing code is being used its own secret is in place, and the change waits.
   */
  #refresh(node: BinaryNode): void {
    if (this.#codeEntered) this.#rotationDue = true;
    else this.#rotate();
    this.#acknowledge(node);
  }

  #rotate(): void {
    this.#rotationDue = false;
    this.#codeEntered = false;
    this.#sock.authState.creds.advSecretKey = randomBytes(32).toString('base64');
    this.#offer();
  }

  #passkey(node: BinaryNode): void {
    this.#events.passkeyRequired();
    this.#acknowledge(node);
  }

  /** Baileys acknowledges notifications only once it knows whose device it is. */
  #acknowledge({ attrs }: BinaryNode): void {
    if (this.#sock.authState.creds.me !== undefined) return;
    const ack = {
      tag: 'ack',
      attrs: { id: attrs.id ?? '', to: attrs.from ?? '', class: 'notification', type: attrs.type ?? '' },
    };
    this.#sock.sendNode(ack).catch(() => {}); // a connection that is gone needs no acknowledgement
  }
}
