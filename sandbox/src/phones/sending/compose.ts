/** Makes the protobuf of what a person writes on a phone, and puts its media on the media host. */
import { randomBytes } from 'node:crypto';
import type { MediaLocation, Message } from '../context.ts';
import { contactsMessage } from '../kinds/contacts.ts';
import { type ContextOptions, contextInfoOf, withContext } from '../kinds/context.ts';
import { eventMessage } from '../kinds/event.ts';
import { locationMessage } from '../kinds/location.ts';
import { type Attachment, mediaMessage, viewOnceMessage } from '../kinds/media.ts';
import { pollMessage } from '../kinds/poll.ts';
import { type LinkPreview, textMessage } from '../kinds/text.ts';
import type { ContactCard, EventPlan, Place, PollQuestion } from '../kinds/types.ts';

export type Writing =
  | { readonly kind: 'text'; readonly text: string; readonly link?: LinkPreview | null }
  | { readonly kind: 'media'; readonly attachment: Attachment }
  | { readonly kind: 'location'; readonly location: Place }
  | { readonly kind: 'contacts'; readonly contacts: readonly ContactCard[] }
  | { readonly kind: 'event'; readonly event: EventPlan }
  | { readonly kind: 'poll'; readonly poll: PollQuestion };

const contentOf = (writing: Writing, media: MediaLocation): Message | Promise<Message> => {
  switch (writing.kind) {
    case 'text':
      return textMessage(writing.text, writing.link);
    case 'media':
      return mediaMessage(writing.attachment, media);
    case 'location':
      return locationMessage(writing.location);
    case 'contacts':
      return contactsMessage(writing.contacts);
    case 'event':
      return eventMessage(writing.event);
    case 'poll':
      return pollMessage(writing.poll);
  }
};

/** A new message, with what is around its content. */
export const compose = async (
  writing: Writing,
  media: MediaLocation,
  { viewOnce, ...around }: ContextOptions & { readonly viewOnce?: boolean },
): Promise<Message> => {
  const content = await contentOf(writing, media);
  const info = contextInfoOf(around);
  const message = info === null ? content : withContext(content, info);
  return viewOnce ? viewOnceMessage(message) : message;
};

/** Every message that phones write has a secret, under which edits, votes and the like are sealed. */
export const withSecret = (message: Message): Message => ({
  ...message,
  messageContextInfo: { messageSecret: randomBytes(32), ...message.messageContextInfo },
});
