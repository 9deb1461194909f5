/** A decrypted message stanza as a record with its facts, or as an act on another message (`acts.ts`), to be committed with the ratchet. */
import type { ContactChange } from '../../domain/chats/contact.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import type { BinaryNode } from '../library/nodes.ts';
import { proto } from '../library/proto.ts';
import { joinChanges } from '../../domain/changes.ts';
import type { Unavailable } from '../../domain/event.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MessageMedia } from '../../domain/messages/parts.ts';
import type { ChatTimers } from '../chats/timers.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Clock } from '../../domain/clock.ts';
import { acted, type MessageChanges, toldTimer, type TranslationContext } from './acts.ts';
import { contentOf, type MessageContent, partsOf, unknown, withNumbers } from './content.ts';
import { countOrNull, maxText, BudgetSpent } from './parts/limits.ts';
import type { Action, MediaPart } from './parts/kind.ts';
import { associatedIn, isViewOnce, secretIn } from './parts/decode.ts';
import { type Envelope, envelopeOf } from './parts/envelope.ts';
import { type Me, meOf, type Peek } from '../identity/people.ts';

export interface ContextOptions {
  readonly creds: AuthenticationCreds;
  readonly lidMapping: { readonly peek: Peek };
  readonly clock: Clock;
}

const maxKnown = 5_000;

/** Names chosen by people, repeated by each of their messages; written once per connection. */
export class PushNames {
  readonly #known = boundedCache<{ readonly name: string; at: number }>(maxKnown);

  /** Empty if the name is known or a former one, as in a message that comes late, or the account's own. */
  told({
    from: { jid, lid },
    fromMe,
    pushName,
    at,
  }: Pick<Envelope, 'from' | 'fromMe' | 'pushName' | 'at'>): readonly ContactChange[] {
    if (pushName === null || fromMe) return [];
    const known = this.#known.get(jid);
    if (known?.name === pushName) known.at = Math.max(known.at, at);
    if (known !== undefined && (known.name === pushName || at < known.at)) return [];
    this.#known.set(jid, { name: pushName, at });
    return [{ jid, lid, pushName }];
  }
}

/** Of one connection; each call has the time. */
export const makeContext = (
  { creds, lidMapping: { peek }, clock }: ContextOptions,
  timers: ChatTimers,
): (() => TranslationContext) => {
  const pushNames = new PushNames();
  return () => ({ me: meOf(creds), peek, timers, pushNames, now: clock.now() });
};

export const mediaOf = (part: MediaPart): MessageMedia => ({
  mimetype: part.mimetype,
  bytes: part.bytes,
  sha256: part.sha256 === null ? null : Buffer.from(part.sha256).toString('hex'),
  fileName: part.fileName,
  voice: part.voice,
  gif: part.gif,
  ...(part.note && { note: true }),
  seconds: part.seconds,
  width: part.width,
  height: part.height,
  waveform: part.waveform,
});

const maxBytes = 1_048_576;

const membersOf = (content: MessageContent, message: proto.IMessage, peek: Peek) => {
  const { type, text, quotedMessageId, media } = content;
  const associated = associatedIn(message);
  const own = partsOf(content, peek);
  const parts = associated === null ? own : { ...own, ...associated };
  return {
    type,
    text: withNumbers(text, parts?.mentions),
    quotedMessageId,
    media: media === null ? null : mediaOf(media),
    parts,
    // Most messages are plain texts.
    viewOnce: typeof message.conversation !== 'string' && isViewOnce(message),
  };
};

export const recordOf = (
  envelope: Envelope,
  content: MessageContent,
  message: proto.IMessage,
  peek: Peek,
  bytes?: Uint8Array,
): MessageRecord => {
  const { type, text, quotedMessageId, media, parts, viewOnce } = membersOf(content, message, peek);
  // Bytes for re-reading by a later version; none of plain texts, which are complete, and of view-once messages.
  const isPlain = typeof message.conversation === 'string' && message.conversation.length <= maxText;
  const whole = isPlain || viewOnce ? null : (bytes ?? proto.Message.encode(message).finish());
  const kept = whole !== null && (whole.length <= maxBytes || content.media !== null) ? whole : null;
  const { username = null } = envelope.from;
  const record: MessageRecord = {
    id: envelope.id,
    chat: envelope.chat,
    chatNumber: envelope.chatNumber,
    chatLid: envelope.chatLid,
    direction: envelope.fromMe ? 'out' : 'in',
    from: envelope.from.jid,
    fromNumber: envelope.from.number,
    fromLid: envelope.from.lid,
    pushName: envelope.pushName,
    isGroup: envelope.isGroup,
    type,
    text,
    quotedMessageId,
    media,
    parts,
    viewOnce,
    content: kept,
    secret: kept === null ? secretIn(message) : null,
    state: envelope.fromMe ? 'accepted' : 'delivered',
    timestamp: envelope.at,
    acceptedAt: envelope.fromMe ? envelope.at : null,
    deliveredAt: envelope.fromMe ? null : envelope.at,
    readAt: null,
    failedAt: null,
    deletedAt: null,
  };
  return username === null ? record : { ...record, fromUsername: username };
};

export const rereadRecord = (
  record: MessageRecord,
  content: MessageContent,
  message: proto.IMessage,
  peek: Peek,
): MessageRecord => {
  const members = membersOf(content, message, peek);
  if (!members.viewOnce) return { ...record, ...members };
  return { ...record, ...members, content: null, secret: secretIn(message) };
};

const nothing: MessageChanges = {};

export const unread = (
  envelope: Envelope,
  message: proto.IMessage,
  { peek }: TranslationContext,
  bytes?: Uint8Array,
  about: string | null = null,
): MessageChanges => {
  const record = recordOf(envelope, { ...unknown, quotedMessageId: about }, message, peek, bytes);
  // However large, as there is nothing else of it.
  return newMessage(record.viewOnce ? record : { ...record, content: bytes ?? record.content });
};

export const translateUnread = (
  stanza: BinaryNode,
  message: proto.IMessage,
  context: TranslationContext,
  bytes?: Uint8Array,
): MessageChanges => {
  const envelope = envelopeOf(stanza, context.me, context.peek, context.now);
  return envelope === null ? nothing : unread(envelope, message, context, bytes);
};

export const translateUnavailable = (
  stanza: BinaryNode,
  unavailable: Unavailable,
  context: TranslationContext,
): MessageChanges => {
  const envelope = envelopeOf(stanza, context.me, context.peek, context.now);
  if (envelope === null) return nothing;
  const record = recordOf(envelope, unknown, {}, context.peek);
  return newMessage({ ...record, content: null, unavailable, viewOnce: unavailable === 'viewOnce' });
};

const newMessage = (record: MessageRecord): MessageChanges => ({ messages: [record], facts: [{ arrived: record }] });

export const stanzaOfInfo = (info: proto.IWebMessageInfo, me: Me): BinaryNode => {
  const { remoteJid, fromMe, id, participant } = info.key ?? {};
  const attrs: BinaryNode['attrs'] = { id: id ?? '', t: String(info.messageTimestamp ?? '') };
  if (info.pushName) attrs.notify = info.pushName;
  const chat = remoteJid ?? '';
  if (chat.endsWith('@g.us')) {
    attrs.from = chat;
    attrs.participant = fromMe ? me.phone : (participant ?? info.participant ?? '');
  } else if (fromMe) {
    attrs.from = me.phone;
    attrs.recipient = chat;
  } else {
    attrs.from = chat;
  }
  return { tag: 'message', attrs };
};

const resent = (
  envelope: Envelope,
  { messages }: Extract<Action, { kind: 'resent' }>,
  context: TranslationContext,
): MessageChanges => {
  // Only the own phone may resend messages of others.
  if (!envelope.fromMe) return nothing;
  return joinChanges(
    messages
      .filter((info) => info.message && info.key?.id)
      .map((info) => translateMessage(stanzaOfInfo(info, context.me), info.message ?? {}, context)),
  );
};

export const said = (
  envelope: Envelope,
  content: MessageContent,
  message: proto.IMessage,
  context: TranslationContext,
  bytes?: Uint8Array,
): MessageChanges => {
  const { expiration, ephemeralSettingTimestamp: setAt } = content.context ?? {};
  // First, as it may take too long: then nothing is reported.
  const changes = newMessage(recordOf(envelope, content, message, context.peek, bytes));
  // A group's timer is in its metadata.
  const hasTimer = !envelope.isGroup && (expiration || setAt);
  const timer = { seconds: expiration ?? 0, setAt: countOrNull(setAt) ?? 0 };
  const told = hasTimer ? toldTimer(envelope, timer, context) : nothing;
  const contacts = context.pushNames?.told(envelope) ?? [];
  return {
    ...changes,
    ...told,
    ...(contacts.length > 0 && { contacts }),
  };
};

/** `message` is decoded, with wrappers; `bytes` as encrypted. What exceeds its budget is not read; messages resent together share one. */
export const translateMessage = (
  stanza: BinaryNode,
  message: proto.IMessage,
  context: TranslationContext,
  bytes?: Uint8Array,
): MessageChanges => {
  // One run: for a long message each costs a thread.
  const translate = (): MessageChanges | (() => MessageChanges) => {
    const content = contentOf(message);
    if (content.kind === 'none') return nothing;
    const envelope = envelopeOf(stanza, context.me, context.peek, context.now);
    if (envelope === null) return nothing;
    if (content.kind === 'resent') return () => resent(envelope, content, context);
    return content.kind === 'message'
      ? said(envelope, content, message, context, bytes)
      : acted(envelope, content, context);
  };
  try {
    const changes = context.budget === undefined ? translate() : context.budget.run(translate);
    return typeof changes === 'function' ? changes() : changes;
  } catch (error) {
    if (error instanceof BudgetSpent) return translateUnread(stanza, message, context, bytes);
    throw error;
  }
};
