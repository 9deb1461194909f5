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
import { composeLocation } from '../translate/kinds/location.ts';
import { composePoll } from '../translate/kinds/poll.ts';
import type { ChatRef } from '../translate/people.ts';
import { composeAction } from './compose-action.ts';
import { contextInfoOf } from './context-info.ts';
import { forwarded } from './forward.ts';
import type { Link } from '../login/link.ts';

/** An image is uploaded first. Throws when no media host takes it. */
const bodyOf = async (link: Link, content: Exclude<OutgoingContent, MessageAction>): Promise<proto.IMessage> => {
  switch (content.kind) {
    case 'text':
      return { extendedTextMessage: { text: content.text } };
    case 'image':
      return link.uploads(() => uploadImage(link, content.image));
    case 'location':
      return composeLocation(content.location);
    case 'contact':
      return composeContacts(content.contacts);
    case 'poll':
      return composePoll(content.poll);
    case 'forward':
      return forwarded(content.original);
  }
};

/** Throws InvalidRequest for what the chat does not allow. */
export const compose = async (link: Link, message: OutgoingMessage, chat: ChatRef): Promise<proto.Message> => {
  const { content } = message;
  if (isAction(content)) return proto.Message.create(await composeAction(link, content, chat));
  const contextInfo = await contextInfoOf(link, message, chat);
  const body = await bodyOf(link, content);
  if (contextInfo !== null) for (const said of Object.values(body)) Object.assign(said, { contextInfo });
  // The secret lets the network's apps report the message, and lets others refer to it.
  return proto.Message.create({ ...body, messageContextInfo: { messageSecret: randomBytes(32) } });
};
