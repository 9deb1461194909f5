/** A scheduled message as callers see it. */
import { iso } from '../../../domain/event-view.ts';
import { givenBytes, type ScheduledContent, type ScheduledMessage } from '../../../domain/messages/scheduled.ts';

const typeOf = (content: ScheduledContent) => {
  if (content.kind === 'plain') return content.content.kind;
  return content.kind === 'file' ? content.file.kind : content.kind;
};

const textOf = (content: ScheduledContent): string | null => {
  if (content.kind === 'file') return content.caption;
  if (content.kind === 'forward' || content.kind === 'album') return null;
  const said = content.content;
  switch (said.kind) {
    case 'text':
      return said.text;
    case 'poll':
      return said.poll.question;
    case 'location':
      return said.location.name;
    case 'contact':
      return said.contacts.map(({ name }) => name).join(', ');
  }
};

export const scheduledView = ({ body, isLeaving, ...message }: ScheduledMessage) => {
  const { recipient, content } = body;
  const source = content.kind === 'file' ? content.source : null;
  return {
    messageId: message.messageId,
    to: recipient.jid,
    toNumber: recipient.kind === 'number' ? recipient.number : null,
    type: typeOf(content),
    text: textOf(content),
    mediaUrl: source !== null && 'url' in source ? source.url : null,
    fileBytes: givenBytes(content) || null,
    sendAt: iso(message.sendAt),
    sendUntil: iso(message.sendUntil),
    createdAt: iso(message.createdAt),
    attempts: message.attempts,
    sending: isLeaving,
  };
};
