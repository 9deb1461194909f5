/** How a message reads on the other side: of the network in Chatwoot, and of an agent on the network. */
import type { Message } from './handset.ts';

const withheld: Readonly<Record<string, string>> = {
  viewOnce: 'message to be viewed once: see the phone',
  hosted: 'message that the network withholds: see the phone',
  bot: 'message that the network withholds: see the phone',
  waiting: 'message whose content is yet to come',
  undecryptable: 'message that could not be decrypted: see the phone',
};

/** Kinds whose file is attached, if the network has it. */
export const hasFile = ({ media }: Message): boolean => media !== null;

const placeText = ({ location }: Message): string | null => {
  if (location === null) return null;
  const { latitude, longitude, name, address } = location;
  const where = latitude === null || longitude === null ? null : `https://maps.google.com/?q=${latitude},${longitude}`;
  return ['📍', ...[name, address, where].filter((part) => part !== null)].join('\n');
};

const special = (message: Message): string | null => {
  const { type, contacts, poll, event, groupInvite, unavailable } = message;
  if (unavailable !== null) return `[${withheld[unavailable] ?? 'message without content'}]`;
  if (type === 'location') return placeText(message);
  if (type === 'contact')
    return contacts
      .map(({ name, numbers }) => `👤 ${name ?? 'Contact'}: ${numbers.map((one) => `+${one}`).join(', ')}`)
      .join('\n');
  if (type === 'poll' && poll !== null)
    return [`📊 ${poll.question}`, ...poll.options.map((one) => `- ${one}`)].join('\n');
  if (type === 'event' && event !== null)
    return `📅 ${event.name ?? 'Event'}${event.startsAt === null ? '' : ` (${event.startsAt})`}`;
  if (type === 'groupInvite') return `✉️ Invitation to the group ${groupInvite?.subject ?? ''}`.trim();
  return null;
};

/** Who wrote it, for groups: Chatwoot knows one contact for a conversation. */
const writerOf = ({ pushName, fromNumber, from }: Message): string => {
  const address = fromNumber === null ? from : `+${fromNumber}`;
  return pushName === null ? address : `${pushName} (${address})`;
};

/** The text of a message in Chatwoot; empty beside a file without a caption. */
export const contentOf = (message: Message, outgoing = false): string => {
  const body = special(message) ?? message.text ?? (hasFile(message) ? '' : `[${message.type}]`);
  return message.isGroup && !outgoing ? `**${writerOf(message)}:** ${body}`.trim() : body;
};

/** Chatwoot's editor writes Markdown; the network has its own marks. */
export const toNetworkText = (markdown: string): string =>
  markdown
    .replaceAll(/\\\n/g, '\n')
    .replaceAll(/(?<!\\)\*\*(\S(?:.{0,1000}?\S)?)\*\*/g, '\u0000$1\u0000')
    .replaceAll(/(?<![\\*\w])\*(\S(?:[^*\n]{0,1000}?\S)?)\*(?![*\w])/g, '_$1_')
    .replaceAll(/(?<!\\)~~(\S(?:.{0,1000}?\S)?)~~/g, '~$1~')
    .replaceAll(/\[([^\]\n]{1,1000})\]\((https?:\/\/[^)\s]{1,2000})\)/g, (_whole, text: string, url: string) =>
      text === url ? url : `${text} (${url})`,
    )
    .replaceAll('\u0000', '*')
    .replaceAll(/\\([\\`*_{}[\]()#+\-.!~>|])/g, '$1');
