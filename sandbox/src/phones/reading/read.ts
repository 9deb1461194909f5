/** Reads a decrypted message: its content, or its change to an earlier message. */
import { normalizeMessageContent, proto } from 'baileys';
import { chatName } from '../context/address.ts';
import type { Message, PhoneContext } from '../context/context.ts';
import { albumOf, hdOf } from '../kinds/series.ts';
import { readContext } from '../kinds/context.ts';
import { readEvent } from '../kinds/polls.ts';
import type { Part } from '../kinds/part.ts';
import { mediaOf, readMedia } from '../kinds/media.ts';
import { partOf, summaryOf } from '../kinds/read-part.ts';
import type { EventPlan } from '../kinds/types.ts';
import type { Shown } from '../context/view.ts';

export type Reading =
  | { readonly kind: 'shown'; readonly shown: Shown }
  | { readonly kind: 'edit'; readonly id: string; readonly text: string; readonly event?: EventPlan }
  | { readonly kind: 'revoke'; readonly id: string }
  | { readonly kind: 'reaction'; readonly id: string; readonly emoji: string }
  | { readonly kind: 'answer'; readonly id: string; readonly answer: readonly string[] }
  | { readonly kind: 'comment'; readonly id: string; readonly text: string }
  /** `seconds` null: unpinned. */
  | { readonly kind: 'pin'; readonly id: string; readonly seconds: number | null }
  /** Not shown: sender keys, requests between own devices. */
  | { readonly kind: 'hidden' };

const nothing = { text: null, image: null, media: null, details: null, error: null };

const textIn = (message: Message | null | undefined): string => {
  const content = normalizeMessageContent(message) ?? {};
  return mediaOf(content)?.fields.caption ?? partOf(content)?.members.text ?? '';
};

const { LIMIT_SHARING, SHARE_PHONE_NUMBER } = proto.Message.ProtocolMessage.Type;

const protocolLines: ReadonlyMap<unknown, string> = new Map([
  [LIMIT_SHARING, 'limitSharing'],
  [SHARE_PHONE_NUMBER, 'sharePhoneNumber'],
]);

const readProtocol = (protocol: proto.Message.IProtocolMessage): Reading => {
  const id = protocol.key?.id;
  if (id && protocol.type === proto.Message.ProtocolMessage.Type.REVOKE) return { kind: 'revoke', id };
  if (id && protocol.type === proto.Message.ProtocolMessage.Type.MESSAGE_EDIT) {
    const event = readEvent(normalizeMessageContent(protocol.editedMessage) ?? {})?.members.event;
    return { kind: 'edit', id, text: textIn(protocol.editedMessage), ...(event && { event }) };
  }
  if (protocol.type === proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING) {
    const line = { type: 'system', system: 'timer', expiresInSeconds: protocol.ephemeralExpiration ?? 0 } as const;
    return { kind: 'shown', shown: { ...nothing, ...line, quotedId: null } };
  }
  const system = protocolLines.get(protocol.type);
  if (system === undefined) return { kind: 'hidden' };
  return { kind: 'shown', shown: { ...nothing, type: 'system', system, quotedId: null } };
};

const usualPin = 7 * 86_400;

const readPin = ({ pinInChatMessage: pin, messageContextInfo: info }: Message): Reading | null => {
  const id = pin?.key?.id;
  if (!id) return null;
  const isPinned = pin.type === proto.Message.PinInChatMessage.Type.PIN_FOR_ALL;
  return { kind: 'pin', id, seconds: isPinned ? info?.messageAddOnDurationInSecs || usualPin : null };
};

/** A message with only these fields shows nothing. */
const hiddenFields = new Set(['senderKeyDistributionMessage', 'messageContextInfo']);

const isVisible = (content: Message): boolean =>
  Object.entries(content).some(([name, value]) => !hiddenFields.has(name) && value !== null && value !== undefined);

const onceOf = (message: Message): boolean => {
  const inner = message.ephemeralMessage?.message ?? message;
  const once = inner.viewOnceMessage ?? inner.viewOnceMessageV2 ?? inner.viewOnceMessageV2Extension;
  const { imageMessage, videoMessage, ptvMessage, audioMessage } = inner;
  return !!once || [imageMessage, videoMessage, ptvMessage, audioMessage].some((file) => file?.viewOnce === true);
};

const unknown: Part = { type: 'unknown', members: {} };

const readContent = async (content: Message, { media }: Pick<PhoneContext, 'media'>): Promise<Part | null> => {
  const file = mediaOf(content);
  if (file === null) return partOf(content) ?? (isVisible(content) ? unknown : null);
  return { type: file.kind, members: await readMedia(content, file, media), context: file.fields.contextInfo };
};

export const read = async (message: Message, phone: Pick<PhoneContext, 'media' | 'hub'>): Promise<Reading> => {
  const content = normalizeMessageContent(message);
  if (!content) return { kind: 'hidden' };
  if (content.protocolMessage) return readProtocol(content.protocolMessage);
  if (content.reactionMessage?.key?.id) {
    return { kind: 'reaction', id: content.reactionMessage.key.id, emoji: content.reactionMessage.text ?? '' };
  }
  const pin = readPin(content);
  if (pin !== null) return pin;
  const part = await readContent(content, phone);
  if (part === null) return { kind: 'hidden' };
  const { type, members, context } = part;
  const around = readContext(context, summaryOf, (jid) => chatName(phone.hub, jid));
  const album = albumOf(message) ?? albumOf(content);
  const hd = hdOf(message);
  const once = onceOf(message) && { viewOnce: true as const };
  return {
    kind: 'shown',
    shown: {
      ...nothing,
      ...members,
      ...around,
      ...(album !== null && { albumId: album }),
      ...(hd !== null && { hdOf: hd }),
      ...once,
      type,
      quotedId: context?.stanzaId || null,
    },
  };
};
