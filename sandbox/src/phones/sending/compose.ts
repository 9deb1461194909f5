/** Composes messages, with quotes, and stores their media on the media host. */
import { normalizeMessageContent, proto } from 'baileys';
import { type Message, type PhoneContext, type MediaLocation } from '../context/context.ts';
import { type Quote, type ContextOptions, contextInfoOf, withContext } from '../kinds/context.ts';
import type { ViewMessage } from '../context/view.ts';
import { randomBytes } from 'node:crypto';
import { orderMessage, paymentMessage, productMessage } from '../kinds/commerce.ts';
import { contactsMessage, groupInviteMessage, locationMessage } from '../kinds/cards.ts';
import { eventMessage, pollMessage } from '../kinds/polls.ts';
import { callLogMessage, type SystemKind, systemMessages } from '../kinds/lines.ts';
import { type Attachment, mediaMessage, viewOnceMessage } from '../kinds/media.ts';
import { type SelectionKind, selectionMessage } from '../kinds/selection.ts';
import { type LinkPreview, textMessage } from '../kinds/read-part.ts';
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

/** As the apps do in quotes. */
const bare = (message: Message): Message => {
  const content = normalizeMessageContent(message) ?? {};
  const said = Object.entries(content)
    .filter(([field]) => field !== 'messageContextInfo' && field !== 'senderKeyDistributionMessage')
    .map(([field, value]: [string, unknown]) => {
      if (typeof value !== 'object' || value === null || !('contextInfo' in value)) return [field, value];
      return [field, { ...value, contextInfo: null }];
    });
  return proto.Message.create(Object.fromEntries(said));
};

const quotedContent = ({ content, sent }: PhoneContext, { id, type, text }: ViewMessage): Message => {
  if (type === 'text') return { conversation: text ?? '' };
  const bytes = content.get(id) ?? sent.get(id)?.bytes;
  return bytes === undefined ? { conversation: text ?? '' } : bare(proto.Message.decode(bytes));
};

export const quoteOf = (phone: PhoneContext, message: ViewMessage): Quote => ({
  id: message.id,
  from: phone.hub.wireJid(phone.account, message.from),
  content: quotedContent(phone, message),
  chat: null,
});

export const statusQuote = (
  { hub, account }: PhoneContext,
  status: { readonly id: string; readonly from: string; readonly text: string | null },
): Quote => ({
  id: status.id,
  from: hub.wireJid(account, status.from),
  content: { extendedTextMessage: { text: status.text ?? '' } },
  chat: 'status@broadcast',
});

/** As named in keys and quotes: people by LID once the account is migrated (whatsmeow `BuildMessageKey`, 2026-08-21). */
export const namedOnWire = ({ hub, account }: PhoneContext, message: ViewMessage): ViewMessage => ({
  ...message,
  chat: hub.wireJid(account, message.chat),
  from: hub.wireJid(account, message.from),
});

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

/** Every message from a phone carries a secret, under which edits, votes and the like are sealed. */
export const withSecret = (message: Message): Message => ({
  ...message,
  messageContextInfo: { messageSecret: randomBytes(32), ...message.messageContextInfo },
});
