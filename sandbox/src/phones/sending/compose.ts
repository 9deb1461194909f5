/** Makes the protobuf of what a person writes on a phone, and puts its media on the media host. */
import { randomBytes } from 'node:crypto';
import type { MediaLocation, Message } from '../context/context.ts';
import { orderMessage, paymentMessage, productMessage } from '../kinds/commerce.ts';
import { contactsMessage } from '../kinds/contacts.ts';
import { type ContextOptions, contextInfoOf, withContext } from '../kinds/context.ts';
import { eventMessage } from '../kinds/event.ts';
import { groupInviteMessage } from '../kinds/group-invite.ts';
import { callLogMessage, type SystemKind, systemMessages } from '../kinds/lines.ts';
import { locationMessage } from '../kinds/location.ts';
import { type Attachment, mediaMessage, viewOnceMessage } from '../kinds/media.ts';
import { pollMessage } from '../kinds/poll.ts';
import { type SelectionKind, selectionMessage } from '../kinds/selection.ts';
import { type LinkPreview, textMessage } from '../kinds/text.ts';
import type {
  CallLog,
  ContactCard,
  EventPlan,
  GroupInvite,
  Order,
  Payment,
  Place,
  PollQuestion,
  Product,
  Selected,
} from '../kinds/types.ts';

export type Writing =
  | { readonly kind: 'text'; readonly text: string; readonly link?: LinkPreview | null }
  | { readonly kind: 'media'; readonly attachment: Attachment }
  | { readonly kind: 'location'; readonly location: Place }
  | { readonly kind: 'contacts'; readonly contacts: readonly ContactCard[] }
  | { readonly kind: 'event'; readonly event: EventPlan }
  | { readonly kind: 'poll'; readonly poll: PollQuestion }
  | { readonly kind: 'groupInvite'; readonly invite: GroupInvite; readonly caption: string | null }
  | { readonly kind: 'selection'; readonly selected: Selected; readonly from: SelectionKind }
  | { readonly kind: 'product'; readonly product: Product; readonly image: Uint8Array | null }
  | { readonly kind: 'order'; readonly order: Order; readonly caption: string | null }
  | { readonly kind: 'payment'; readonly payment: Payment; readonly caption: string | null; readonly from: string }
  | { readonly kind: 'callLog'; readonly callLog: CallLog }
  | { readonly kind: 'system'; readonly system: SystemKind };

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
    case 'groupInvite':
      return groupInviteMessage(writing.invite, writing.caption);
    case 'selection':
      return selectionMessage(writing.selected, writing.from);
    case 'product':
      return productMessage(writing.product, writing.image, media);
    case 'order':
      return orderMessage(writing.order, writing.caption);
    case 'payment':
      return paymentMessage(writing.payment, writing.caption, writing.from);
    case 'callLog':
      return callLogMessage(writing.callLog);
    case 'system':
      return systemMessages[writing.system];
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
