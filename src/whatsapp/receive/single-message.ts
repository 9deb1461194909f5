/** A message read by itself: each ciphertext in turn, then its receipt, or a retry request. */
import { type BinaryNode, buildAckStanza } from '../library/nodes.ts';
import { jidNormalizedUser } from '../library/jid.ts';
import type { proto } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import type { Clock } from '../../domain/clock.ts';
import { jidKind } from '../../domain/jid.ts';
import type { Presence } from '../connection/presence.ts';
import type { Line } from '../socket/line.ts';
import { takeName } from '../identity/account.ts';
import { meOf, isMe, plainJid } from '../identity/people.ts';
import type { OnPlaintext } from '../signal/inbox.ts';
import { type Place, pushNameIn, receiptOf, timeOf } from '../translate/parts/envelope.ts';
import { type DecryptParts, decryptAll, encsIn } from './ciphertexts.ts';
import type { Placeholders } from './placeholders.ts';
import type { RetryRequests } from './retry-requests.ts';

export interface SingleMessageParts extends DecryptParts {
  readonly sock: Pick<Socket, 'isOpen' | 'update'>;
  readonly line: Pick<Line, 'send' | 'sendInPassing'>;
  readonly creds: AuthenticationCreds;
  readonly clock: Pick<Clock, 'now'>;
  readonly presence: Pick<Presence, 'isOnline'>;
  readonly placeholders: Pick<Placeholders, 'undecryptable'>;
  readonly retries: Pick<RetryRequests, 'requestFor'>;
  readonly whenPhoneSpoke: ReadonlySet<(message: proto.IMessage) => void>;
}

/** Codes of refusals (WhatsApp Web's `NackReason`). */
const missingMessageSecret = 495;
const unhandled = 500;

/** Null for a stanza of no known chat. */
const placeOf = ({ attrs }: BinaryNode, creds: AuthenticationCreds): Place | null => {
  const { from = '', participant, recipient } = attrs;
  const me = meOf(creds);
  if (from.endsWith('@g.us') || from.endsWith('@broadcast')) {
    if (participant === undefined) return null;
    return { author: participant, isGroup: true, fromMe: isMe(me, participant) };
  }
  const fromMe = isMe(me, from);
  const kind = jidKind(plainJid(from));
  if ((kind !== 'phone' && kind !== 'lid') || (recipient !== undefined && !fromMe)) return null;
  return { author: from, isGroup: false, fromMe };
};

export class SingleMessages {
  readonly #parts: SingleMessageParts;

  constructor(parts: SingleMessageParts) {
    this.#parts = parts;
  }

  /** Rejects if the store fails: the message is then neither receipted nor refused. */
  async take(node: BinaryNode, onPlaintext: OnPlaintext): Promise<void> {
    const { sock, line, creds, presence, placeholders, retries } = this.#parts;
    const { id, from = '', category } = node.attrs;
    if (id === undefined) return;
    if (from.endsWith('@newsletter')) return this.#acknowledge(node);
    const encs = encsIn(node);
    if (encs[0]?.attrs.type === 'msmsg') return this.#acknowledge(node, missingMessageSecret);
    const place = placeOf(node, creds);
    if (place === null) return this.#acknowledge(node, unhandled);
    const { author } = place;
    const origin = { author, group: place.isGroup ? from : author };
    const messages = await decryptAll(this.#parts, encs, origin, onPlaintext);
    if (!sock.isOpen) return;
    if (messages === null && category !== 'peer') {
      const count = await placeholders.undecryptable(node);
      const request = count === null ? [] : [await retries.requestFor(node, count)];
      if (sock.isOpen) line.send([...request, buildAckStanza(node, unhandled, creds.me?.id)]);
      return;
    }
    line.sendInPassing([receiptOf(node, place, presence.isOnline)]);
    if (place.fromMe) this.#keepName(node);
    if (place.fromMe && category === 'peer') for (const message of messages ?? []) this.#spoken(node, message);
  }

  #spoken({ attrs: { id = '', from = '' } }: BinaryNode, message: proto.IMessage): void {
    const { line, whenPhoneSpoke } = this.#parts;
    if (message.protocolMessage?.historySyncNotification) {
      line.sendInPassing([{ tag: 'receipt', attrs: { id, to: jidNormalizedUser(from), type: 'hist_sync' } }]);
    }
    for (const listen of whenPhoneSpoke) listen(message);
  }

  #keepName(node: BinaryNode): void {
    const { sock, creds, clock } = this.#parts;
    const name = pushNameIn(node);
    if (name === null || !takeName(creds, name, timeOf(node, clock.now()))) return;
    sock.update({ me: creds.me!, additionalData: creds.additionalData });
  }

  #acknowledge(node: BinaryNode, code?: number): void {
    this.#parts.line.sendInPassing([buildAckStanza(node, code, this.#parts.creds.me?.id)]);
  }
}
