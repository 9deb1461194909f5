/**
 * Channel posts as the network sends them: unencrypted, with a number in addition to their author's id (whatsmeow `newsletter.go`
 * `parseNewsletterMessages`, 33cfac51, 2026-08).
 */
import type { ChannelPost, KeptPost, PostCounters } from '../../domain/channels/channel.ts';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '../library/nodes.ts';
import type { proto } from '../library/proto.ts';
import { type MessageContent, contentOf, unknown } from '../translate/content.ts';
import { decodeMessage } from '../translate/decode.ts';
import { plainId, timeOf } from '../translate/parts/envelope.ts';
import { mediaOf } from '../translate/record.ts';

/** A post has its text, and only the location of its file. */
const maxBytes = 1_048_576;
const maxReactions = 256;
const maxEmoji = 64;

export const serverIdIn = ({ attrs: { server_id: text = '' } }: BinaryNode): number | null => {
  const number = text.length <= 16 ? Number(text) : Number.NaN;
  return text !== '' && Number.isSafeInteger(number) && number > 0 ? number : null;
};

/** Null if absent, empty or unreadable. */
export const messageIn = (node: BinaryNode): proto.IMessage | null => {
  const content = getBinaryNodeChild(node, 'plaintext')?.content;
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (!(bytes instanceof Uint8Array) || bytes.length === 0 || bytes.length > maxBytes) return null;
  try {
    return decodeMessage(bytes);
  } catch {
    return null;
  }
};

/** Stock clients wrap edits like those of chats. */
const saidIn = (message: proto.IMessage): MessageContent => {
  const content = contentOf(message.protocolMessage?.editedMessage ?? message);
  return content.kind === 'message' ? content : unknown;
};

export const postOf = (
  node: BinaryNode,
  serverId: number,
  message: proto.IMessage | null,
  now: number,
): ChannelPost => {
  const { type, text, media } = message === null ? unknown : saidIn(message);
  const { id } = node.attrs;
  return {
    serverId,
    id: id === undefined ? null : plainId(id),
    timestamp: timeOf(node, now),
    type,
    text,
    media: media === null ? null : mediaOf(media),
  };
};

/** Whether the network shows what was said. */
export const isSame = ({ type, text, media }: ChannelPost, message: proto.IMessage): boolean => {
  const said = saidIn(message);
  return said.type === type && said.text === text && (said.media === null) === (media === null);
};

const countIn = (node: BinaryNode | undefined): number | null => {
  const text = node?.attrs['count'] ?? '';
  const count = text.length <= 16 && text !== '' ? Number(text) : Number.NaN;
  return Number.isSafeInteger(count) && count >= 0 ? count : null;
};

export const countersOf = (node: BinaryNode): PostCounters => {
  const reactions = getBinaryNodeChildren(getBinaryNodeChild(node, 'reactions'), 'reaction');
  return {
    views: countIn(getBinaryNodeChild(node, 'views_count')),
    reactions: reactions.slice(0, maxReactions).flatMap((each) => {
      const { code = '' } = each.attrs;
      const count = countIn(each);
      return code === '' || code.length > maxEmoji || count === null ? [] : [{ reaction: code, count }];
    }),
  };
};

export const keptPostsIn = (list: BinaryNode | undefined, now: number): readonly KeptPost[] =>
  getBinaryNodeChildren(list, 'message').flatMap((node) => {
    const serverId = serverIdIn(node);
    if (serverId === null) return [];
    const message = messageIn(node);
    const deleted = getBinaryNodeChild(node, 'plaintext') === undefined;
    return [{ ...postOf(node, serverId, message, now), ...countersOf(node), deleted }];
  });
