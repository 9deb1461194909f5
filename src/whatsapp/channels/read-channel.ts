/** Reads the network's descriptions of channels (whatsmeow `types.NewsletterMetadata`, 33cfac51, 2026-08). */
import type {
  Channel,
  ChannelReactions,
  ChannelRole,
  ChannelState,
  ChannelPost,
  KeptPost,
  PostCounters,
} from '../../domain/channels/channel.ts';
import { isChannelJid } from '../../domain/jid.ts';
import { maxPageBytes } from '../../domain/stores.ts';
import { nextTurn } from '../../domain/turns.ts';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '../library/nodes.ts';
import type { proto } from '../library/proto.ts';
import type { Json } from '../socket/mex.ts';
import { type MessageContent, contentOf, unknown } from '../translate/content.ts';
import { decodeMessage } from '../translate/parts/decode.ts';
import { plainId, timeOf } from '../translate/parts/envelope.ts';
import { Budget, cutOrNull, maxName } from '../translate/parts/limits.ts';
import { mediaOf } from '../translate/message.ts';

const maxDescription = 8_192;
const maxInvite = 64;
/** The end of the year 9999, in seconds. */
const lastSecond = 253_402_300_799;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const memberOf = (value: unknown, ...path: readonly string[]): unknown => {
  let found = value;
  for (const name of path) {
    if (!isObject(found)) return undefined;
    found = found[name];
  }
  return found;
};

const textIn = (value: unknown, longest = maxName): string | null =>
  typeof value === 'string' && value !== '' ? cutOrNull(value, longest) : null;

const countIn = (value: unknown): number | null => {
  const count = typeof value === 'string' && value.length <= 16 && value !== '' ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
};

const roles: Readonly<Record<string, ChannelRole>> = { OWNER: 'owner', ADMIN: 'admin', SUBSCRIBER: 'follower' };

const states: Readonly<Record<string, ChannelState>> = {
  ACTIVE: 'active',
  SUSPENDED: 'suspended',
  GEOSUSPENDED: 'geosuspended',
  DELETED: 'deleted',
  NON_EXISTING: 'deleted',
};

const reactions: Readonly<Record<string, ChannelReactions>> = { ALL: 'all', BASIC: 'basic', NONE: 'none' };

const mutes: Readonly<Record<string, boolean>> = { ON: true, OFF: false };

const named = <T>(table: Readonly<Record<string, T>>, value: unknown): T | null =>
  typeof value === 'string' && Object.hasOwn(table, value) ? table[value]! : null;

/** Among the settings, where WhatsApp Web looks for it (whatsapp-rust, 2026-11), or beside the role (whatsmeow). */
const mutedIn = (viewer: unknown): boolean | null => {
  const settings = memberOf(viewer, 'settings');
  const own = Array.isArray(settings)
    ? settings.slice(0, 16).find((each) => memberOf(each, 'type') === 'MUTE_ADMIN_ACTIVITY')
    : undefined;
  return named(mutes, memberOf(own, 'value') ?? memberOf(viewer, 'mute'));
};

export const jidIn = (described: unknown): string | null => {
  const jid = memberOf(described, 'id');
  return typeof jid === 'string' && isChannelJid(jid) ? jid : null;
};

export const stateIn = (described: unknown): ChannelState =>
  named(states, memberOf(described, 'state', 'type')) ?? 'unknown';

/** The members that a notice of a change has. */
export const wordsIn = (described: unknown): Partial<Pick<Channel, 'name' | 'description'>> => {
  const name = memberOf(described, 'thread_metadata', 'name', 'text');
  const description = memberOf(described, 'thread_metadata', 'description', 'text');
  return {
    ...(typeof name === 'string' && { name: textIn(name) }),
    ...(typeof description === 'string' && { description: textIn(description, maxDescription) }),
  };
};

export const readChannel = (described: unknown): Channel | null => {
  const jid = jidIn(described);
  if (jid === null) return null;
  const thread = memberOf(described, 'thread_metadata');
  const seconds = countIn(memberOf(thread, 'creation_time'));
  return {
    jid,
    name: textIn(memberOf(thread, 'name', 'text')),
    description: textIn(memberOf(thread, 'description', 'text'), maxDescription),
    invite: textIn(memberOf(thread, 'invite'), maxInvite),
    role: named(roles, memberOf(described, 'viewer_metadata', 'role')) ?? 'guest',
    state: stateIn(described),
    followers: countIn(memberOf(thread, 'subscribers_count')),
    verified: memberOf(thread, 'verification') === 'VERIFIED',
    reactions: named(reactions, memberOf(thread, 'settings', 'reaction_codes', 'value')),
    muted: mutedIn(memberOf(described, 'viewer_metadata')),
    createdAt: seconds === null || seconds === 0 || seconds > lastSecond ? null : seconds * 1000,
  };
};

/** A post has its text, and only the location of its file. */
const maxBytes = 1_048_576;
const maxReactions = 256;
const maxEmoji = 64;

/** Posts are unencrypted, with a number beside their author's id (whatsmeow `newsletter.go` `parseNewsletterMessages`, 33cfac51, 2026-08). */
export const serverIdIn = ({ attrs: { server_id: text = '' } }: BinaryNode): number | null => {
  const number = text.length <= 16 ? Number(text) : Number.NaN;
  return text !== '' && Number.isSafeInteger(number) && number > 0 ? number : null;
};

/** Stock clients wrap edits like those of chats. */
const saidIn = (message: proto.IMessage): MessageContent => {
  const content = contentOf(message.protocolMessage?.editedMessage ?? message);
  return content.kind === 'message' ? content : unknown;
};

/** Unknown if absent, empty, unreadable, or too slow to be read. */
const contentIn = (node: BinaryNode): MessageContent => {
  const content = getBinaryNodeChild(node, 'plaintext')?.content;
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (!(bytes instanceof Uint8Array) || bytes.length === 0 || bytes.length > maxBytes) return unknown;
  try {
    return new Budget(bytes.length).run(() => saidIn(decodeMessage(bytes)));
  } catch {
    return unknown;
  }
};

export const postOf = (node: BinaryNode, serverId: number, now: number): ChannelPost => {
  const { type, text, media } = contentIn(node);
  const { id } = node.attrs;
  // The network tells seconds: a post has one time, however often it is read.
  const at = timeOf(node, now);
  return {
    serverId,
    id: id === undefined ? null : plainId(id),
    timestamp: at - (at % 1_000),
    type,
    text,
    media: media === null ? null : mediaOf(media),
  };
};

export const isSame = ({ type, text, media }: ChannelPost, message: proto.IMessage): boolean => {
  const said = saidIn(message);
  return said.type === type && said.text === text && (said.media === null) === (media === null);
};

const countOf = (node: BinaryNode | undefined): number | null => {
  const text = node?.attrs['count'] ?? '';
  const count = text.length <= 16 && text !== '' ? Number(text) : Number.NaN;
  return Number.isSafeInteger(count) && count >= 0 ? count : null;
};

export const countersOf = (node: BinaryNode): PostCounters => {
  const list = getBinaryNodeChildren(getBinaryNodeChild(node, 'reactions'), 'reaction');
  return {
    views: countOf(getBinaryNodeChild(node, 'views_count')),
    reactions: list.slice(0, maxReactions).flatMap((each) => {
      const { code = '' } = each.attrs;
      const count = countOf(each);
      return code === '' || code.length > maxEmoji || count === null ? [] : [{ reaction: code, count }];
    }),
  };
};

/** The newest posts, until there are enough, or as many bytes as a page has. */
export const keptPostsIn = async (
  list: BinaryNode | undefined,
  limit: number,
  now: number,
): Promise<readonly KeptPost[]> => {
  const found = getBinaryNodeChildren(list, 'message').flatMap((node) => {
    const serverId = serverIdIn(node);
    return serverId === null ? [] : [{ node, serverId }];
  });
  const posts: KeptPost[] = [];
  let left = maxPageBytes;
  for (const { node, serverId } of found.toSorted((a, b) => b.serverId - a.serverId).slice(0, limit)) {
    const others = nextTurn();
    if (others !== null) await others;
    const deleted = getBinaryNodeChild(node, 'plaintext') === undefined;
    const post = { ...postOf(node, serverId, now), ...countersOf(node), deleted };
    left -= Buffer.byteLength(JSON.stringify(post));
    if (left < 0 && posts.length > 0) break;
    posts.push(post);
  }
  return posts;
};
