/** The message that an answer quotes, as it is on the phone. */
import { normalizeMessageContent, proto } from 'baileys';
import type { Message, PhoneContext } from '../context/context.ts';
import type { Quote } from '../kinds/context.ts';
import type { ViewMessage } from '../context/view.ts';

/** Without what is around the content, as the apps quote it. */
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

const contentOf = ({ content, sent }: PhoneContext, { id, type, text }: ViewMessage): Message => {
  if (type === 'text') return { conversation: text ?? '' };
  const bytes = content.get(id) ?? sent.get(id)?.bytes;
  return bytes === undefined ? { conversation: text ?? '' } : bare(proto.Message.decode(bytes));
};

export const quoteOf = (phone: PhoneContext, message: ViewMessage): Quote => ({
  id: message.id,
  from: phone.hub.wireJid(phone.account, message.from),
  content: contentOf(phone, message),
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

/**
 * A message as others name it in keys and quotes: people by LID once the account is migrated, as in the stanza around it (whatsmeow
 * `BuildMessageKey`, 2026-08-21, takes the chat's address in use).
 */
export const namedOnWire = ({ hub, account }: PhoneContext, message: ViewMessage): ViewMessage => ({
  ...message,
  chat: hub.wireJid(account, message.chat),
  from: hub.wireJid(account, message.from),
});
