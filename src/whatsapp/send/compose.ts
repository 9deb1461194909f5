/** Composes the protobuf of a message. */
import { randomBytes } from 'node:crypto';
import { proto } from '../engine/proto.ts';
import {
  isAction,
  type MessageAction,
  type OutgoingContent,
  type OutgoingMessage,
} from '../../domain/messages/outgoing.ts';
import { uploadImage } from '../media/upload.ts';
import { composeContacts } from '../translate/kinds/contact.ts';
import { composeGroupInvite } from '../translate/kinds/group-invite.ts';
import { composeLocation } from '../translate/kinds/location.ts';
import { composePoll } from '../translate/kinds/poll.ts';
import { composeText } from '../translate/kinds/text.ts';
import type { ChatRef } from '../translate/people.ts';
import { composeAction } from './compose-action.ts';
import { composeFile } from './compose-file.ts';
import { contextInfoOf } from './context-info.ts';
import { forwarded } from './forward.ts';
import type { Link } from '../login/link.ts';

type Timer = Extract<OutgoingContent, { readonly kind: 'timer' }>;

const timerOf = ({ seconds: ephemeralExpiration }: Timer): proto.IMessage => {
  const protocolMessage = { type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING, ephemeralExpiration };
  return { ephemeralMessage: { message: { protocolMessage } } };
};

/** Files are uploaded first. Throws when no media host takes them, and what the signal is aborted with. */
const bodyOf = async (
  link: Link,
  content: Exclude<OutgoingContent, MessageAction | Timer>,
  signal: AbortSignal | undefined,
): Promise<proto.IMessage> => {
  switch (content.kind) {
    case 'text':
      return composeText(content);
    case 'image':
      return link.uploads(() => uploadImage(link, content.image, signal));
    case 'document':
    case 'video':
    case 'audio':
    case 'sticker':
      return composeFile(link, content, signal);
    case 'location':
      return composeLocation(content.location);
    case 'contact':
      return composeContacts(content.contacts);
    case 'poll':
      return composePoll(content.poll);
    case 'groupInvite':
      return composeGroupInvite(content);
    case 'forward':
      return forwarded(content.original);
  }
};

/**
 * Documents with a caption go in a frame that older apps do not open: those would show them without (mautrix-whatsapp `from-matrix.go`, 2026-08-21;
 * Baileys rc14 sends them bare).
 */
const framed = (body: proto.IMessage): proto.IMessage =>
  body.documentMessage?.caption ? { documentWithCaptionMessage: { message: body } } : body;

/** Throws InvalidRequest for what the chat does not allow. */
export const compose = async (link: Link, message: OutgoingMessage, chat: ChatRef): Promise<proto.Message> => {
  const { content, signal } = message;
  if (content.kind !== 'text' && isAction(content))
    return proto.Message.create(await composeAction(link, content, chat));
  if (content.kind === 'timer') return proto.Message.create(timerOf(content));
  const contextInfo = await contextInfoOf(link, message, chat);
  const body = await bodyOf(link, content, signal);
  signal?.throwIfAborted();
  if (contextInfo !== null) for (const said of Object.values(body)) Object.assign(said, { contextInfo });
  // The secret lets the network's apps report the message, and lets others refer to it.
  return proto.Message.create({ ...framed(body), messageContextInfo: { messageSecret: randomBytes(32) } });
};
