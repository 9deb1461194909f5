/** A pairing under way: the QRs, the pairing code and the passkey that can link this connection. */
import type { Clock, Timer } from '../../domain/clock.ts';
import { randomBytes } from 'node:crypto';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../library/nodes.ts';
import { buildPairingQRData } from '../library/protocol.ts';
import type { Socket } from '../socket/socket.ts';
import type { Passkey, PasskeyCredential } from '../../domain/passkey.ts';
import type { DisconnectReason, PairingOffer } from '../../domain/sessions/state.ts';
import { HandsetError } from '../../errors.ts';
import { browser } from '../socket/client.ts';
import { CodeLink } from './code.ts';
import { PasskeyCeremony } from './passkey.ts';
import { acknowledge, contentText, sendQuietly } from './stanzas.ts';

const firstMs = 60_000;
const laterMs = 20_000;

interface ShownRef {
  readonly ref: string;
  readonly expiresAt: number;
}

interface RefEvents {
  shown(): void;
  ended(): void;
}

class QrRefs {
  readonly #clock: Clock;
  readonly #events: RefEvents;
  #waiting: string[] = [];
  #current: ShownRef | null = null;
  #timer: Timer | null = null;

  constructor(clock: Clock, events: RefEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  get current(): ShownRef | null {
    return this.#current;
  }

  begin(refs: readonly string[]): void {
    this.stop();
    this.#waiting = [...refs];
    this.#show(firstMs);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#current = null;
  }

  #show(ms: number): void {
    const ref = this.#waiting.shift();
    if (ref === undefined) {
      this.stop();
      this.#events.ended();
      return;
    }
    this.#current = { ref, expiresAt: this.#clock.now() + ms };
    this.#timer = this.#clock.after(ms, () => this.#show(laterMs));
    this.#events.shown();
  }
}

export interface PairingEvents {
  offer(offer: PairingOffer): void;
  passkey(passkey: Passkey): void;
  failed(reason: DisconnectReason): void;
}

export interface PairingOptions {
  readonly number: string | null;
  readonly formerCode: string | undefined;
  readonly clock: Clock;
  readonly events: PairingEvents;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export class Pairing {
  readonly #sock: Socket;
  readonly #events: PairingEvents;
  readonly #refs: QrRefs;
  readonly #code: CodeLink | null;
  readonly #ceremony: PasskeyCeremony;
  #attempt: 'none' | 'code' | 'passkey' | 'over' = 'none';
  #refsEnded = false;

  constructor(sock: Socket, { number, formerCode, clock, events }: PairingOptions) {
    this.#sock = sock;
    this.#events = events;
    this.#refs = new QrRefs(clock, { shown: () => this.#offer(), ended: () => this.#outOfRefs() });
    this.#code =
      number === null
        ? null
        : new CodeLink(
            sock,
            number,
            clock,
            {
              changed: () => this.#codeChanged(),
              entered: () => this.#enter('code'),
              ended: () => this.#leaveCode(),
            },
            formerCode,
          );
    this.#ceremony = new PasskeyCeremony(sock, clock, {
      changed: (passkey) => this.#attempt === 'passkey' && events.passkey(passkey),
      failed: (reason) => this.#attempt === 'passkey' && events.failed(reason),
    });
    sock.stanzas.on('iq', (node) => this.#begin(node), { type: 'set', child: 'pair-device' });
    sock.stanzas.on('notification', (node) => {
      if (this.#hear(node)) acknowledge(sock, node);
    });
  }

  answerPasskey(credential: PasskeyCredential): Promise<void> {
    return this.#inCeremony((ceremony) => ceremony.respond(credential));
  }

  confirmPasskey(): Promise<void> {
    return this.#inCeremony((ceremony) => ceremony.confirm());
  }

  /** The link is confirmed, or the connection is gone: nothing may change the secret or end the pairing now. */
  stop(): void {
    this.#attempt = 'over';
    this.#refs.stop();
    this.#code?.stop();
    this.#ceremony.stop();
  }

  #inCeremony(work: (ceremony: PasskeyCeremony) => Promise<void>): Promise<void> {
    if (this.#attempt === 'passkey') return work(this.#ceremony);
    return Promise.reject(new HandsetError('Conflict', 'The network asks for no passkey now'));
  }

  #begin(node: BinaryNode): void {
    sendQuietly(this.#sock, { tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'result', id: node.attrs.id ?? '' } });
    if (this.#attempt !== 'none') return;
    const refs = getBinaryNodeChildren(getBinaryNodeChild(node, 'pair-device'), 'ref');
    this.#refsEnded = false;
    this.#refs.begin(refs.flatMap((ref) => contentText(ref) ?? []));
    if (this.#code?.offered === null) this.#code.request();
  }

  #hear(node: BinaryNode): boolean {
    switch (node.attrs.type) {
      case 'companion_reg_refresh':
        this.#refresh(node);
        return true;
      case 'link_code_companion_reg':
        if (this.#attempt !== 'passkey' && this.#attempt !== 'over') this.#code?.hear(node);
        return true;
      case 'passkey_prologue_request':
        this.#askForPasskey(node);
        return true;
      case 'crsc_continuation':
        if (this.#attempt === 'passkey') void this.#ceremony.continuation(node);
        return true;
      default:
        return false;
    }
  }

  #offer(): void {
    const { current } = this.#refs;
    const { noiseKey, signedIdentityKey, advSecretKey } = this.#sock.creds;
    if (current === null || this.#attempt !== 'none' || this.#code?.isPending === true) return;
    const keys = [base64(noiseKey.public), base64(signedIdentityKey.public), advSecretKey] as const;
    this.#events.offer({
      qrText: buildPairingQRData(current.ref, ...keys, browser),
      qrExpiresAt: current.expiresAt,
      code: this.#code?.offered ?? null,
      ...(this.#code?.refusal ? { codeRefusal: this.#code.refusal } : {}),
    });
  }

  /** `companion_reg_refresh`: retires the secret in the QR; only a QR with a new one can link. The secret of an entered code is kept. */
  #refresh(node: BinaryNode): void {
    const forms = ['companion_reg_refresh', 'pair-device-rotate-qr'];
    if (!forms.some((form) => getBinaryNodeChild(node, form) !== undefined)) return;
    // Deferred during an attempt, whose failure renews the QR's secret anyway.
    if (this.#attempt === 'none') this.#rotate();
  }

  #rotate(): void {
    this.#sock.creds.advSecretKey = base64(randomBytes(32));
    this.#offer();
  }

  #enter(attempt: 'code' | 'passkey'): void {
    if (this.#attempt !== 'over') this.#attempt = attempt;
  }

  /** The code's attempt failed: drops its secret, and does what was deferred. */
  #leaveCode(): void {
    if (this.#attempt !== 'code') return;
    this.#attempt = 'none';
    if (this.#refsEnded) this.#outOfRefs();
    else this.#rotate();
  }

  #codeChanged(): void {
    if (this.#refsEnded) this.#outOfRefs();
    else this.#offer();
  }

  #outOfRefs(): void {
    this.#refsEnded = true;
    if (this.#attempt !== 'none' || this.#code?.isAlive === true) return;
    this.#attempt = 'over';
    this.#events.failed({ kind: 'pairing_expired' });
  }

  #askForPasskey(node: BinaryNode): void {
    if (this.#attempt === 'over') return;
    this.#enter('passkey');
    this.#refs.stop();
    this.#code?.stop();
    void this.#ceremony.begin(node);
  }
}
