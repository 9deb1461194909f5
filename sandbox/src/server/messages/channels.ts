/**
 * Channel posts: stored and numbered by the server, and forwarded to all devices of the followers.
 *
 * Formats: whatsmeow `send.go`, `newsletter.go` and `notification.go` (33cfac51, 2026-08), zapo (2026-08-19). Error codes are assumed where none is
 * published: 403 for a sender who is no administrator, 405 for a reaction the channel does not allow, 404 for a missing post. 479 for media without
 * a handle or from another upload path is reported (Baileys #2199, WAHA #1523).
 */
import { type BinaryNode, proto } from 'baileys';
import { seconds } from '../../base/clock.ts';
import { bytesOf, childOf, element } from '../../base/nodes.ts';
import type { Account, Device } from '../../base/types.ts';
import { audienceOf, type Channel, type ChannelPost, mayPost } from '../channels/channel.ts';
import { type HubState, sendLive } from '../state/state.ts';
import { devicesOf } from './participants.ts';
import { deliver } from './queue.ts';

export const isChannelJid = (jid: string | undefined): boolean => jid?.endsWith('@newsletter') === true;

/** The answer to a post: attributes of its ack, and what runs after it. */
export interface Taken {
  readonly error?: number;
  readonly said?: Readonly<Record<string, string>>;
  readonly pass?: () => void;
}

const refused = (error: number): Taken => ({ error });

/** How long a client that asked gets counters, in seconds; the network answers 30 to 600. */
export const liveSeconds = 300;

const EDIT = '3';
const REVOKE = '8';

const stanzaOf = (hub: HubState, channel: Channel, post: ChannelPost, device: Device, edit?: string): BinaryNode => {
  const { serverId, id, type, at, bytes, editedAt } = post;
  const attrs: Record<string, string> = {
    from: channel.jid,
    id,
    server_id: String(serverId),
    type: edit === REVOKE ? 'text' : type,
    t: edit === undefined ? String(Math.floor(at / 1000)) : seconds(hub.clock),
  };
  if (edit !== undefined) attrs['edit'] = edit;
  if (mayPost(channel, device.account)) attrs['is_sender'] = 'true';
  const meta = { msg_edit_t: String(editedAt ?? at), original_msg_t: String(Math.floor(at / 1000)) };
  return element('message', attrs, [
    element('plaintext', {}, bytes),
    ...(edit === undefined ? [] : [element('meta', meta)]),
  ]);
};

const passOn = (hub: HubState, channel: Channel, post: ChannelPost, sender: Device | null, edit?: string): void => {
  for (const device of devicesOf(audienceOf(channel))) {
    // Phones of the sandbox query a channel when it is opened.
    if (device !== sender && device.id !== 0) deliver(hub, device, stanzaOf(hub, channel, post, device, edit));
  }
};

export const publish = (
  hub: HubState,
  channel: Channel,
  given: { readonly id: string; readonly type: string; readonly bytes: Uint8Array },
): ChannelPost => {
  const serverId = 100 + channel.posts.length;
  const at = hub.clock.now();
  const more = { serverId, at, editedAt: null, deleted: false, reactions: new Map(), views: new Set<Account>() };
  const post: ChannelPost = { ...given, ...more };
  channel.posts.push(post);
  return post;
};

export const passOnPost = (hub: HubState, channel: Channel, post: ChannelPost, sender: Device | null): void =>
  passOn(hub, channel, post, sender);

export const postNode = ({ serverId, id, type, at, bytes, views, reactions }: ChannelPost): BinaryNode => {
  const counts = new Map<string, number>();
  for (const code of reactions.values()) counts.set(code, (counts.get(code) ?? 0) + 1);
  const list = [...counts].map(([code, count]) => element('reaction', { code, count: String(count) }));
  return element('message', { id, server_id: String(serverId), type, t: String(Math.floor(at / 1000)) }, [
    ...(bytes.length === 0 ? [] : [element('plaintext', {}, bytes)]),
    element('views_count', { count: String(views.size) }),
    ...(list.length === 0 ? [] : [element('reactions', {}, list)]),
  ]);
};

/** `bytes` null: the post is deleted. */
export const changePost = (
  hub: HubState,
  channel: Channel,
  post: ChannelPost,
  bytes: Uint8Array | null,
  sender: Device | null = null,
): void => {
  post.bytes = bytes ?? new Uint8Array();
  post.editedAt = hub.clock.now();
  post.deleted = bytes === null;
  passOn(hub, channel, post, sender, bytes === null ? REVOKE : EDIT);
};

export const tellCounters = (hub: HubState, channel: Channel, post: ChannelPost): void => {
  const now = hub.clock.now();
  const { content } = postNode({ ...post, bytes: new Uint8Array() });
  const message = element('message', { server_id: String(post.serverId) }, Array.isArray(content) ? content : []);
  const list = element('messages', { jid: channel.jid, t: seconds(hub.clock) }, [message]);
  for (const [device, until] of hub.liveUpdates.get(channel.jid) ?? []) {
    if (until < now) continue;
    const attrs = { from: channel.jid, id: hub.nextId(), type: 'newsletter', t: seconds(hub.clock) };
    sendLive(hub, device, element('notification', attrs, [element('live_updates', {}, [list])]));
  }
};

const isReadable = (bytes: Uint8Array): boolean => {
  try {
    return Object.keys(proto.Message.toObject(proto.Message.decode(bytes))).length > 0;
  } catch {
    return false;
  }
};

export const fileIn = (message: proto.IMessage) => {
  const said = message.documentWithCaptionMessage?.message ?? message;
  const { imageMessage, videoMessage, audioMessage, documentMessage, stickerMessage, ptvMessage } = said;
  return imageMessage ?? videoMessage ?? audioMessage ?? documentMessage ?? stickerMessage ?? ptvMessage ?? null;
};

/** 479 for a file that the followers could not open. */
const isWrongMedia = (node: BinaryNode, bytes: Uint8Array): boolean => {
  const file = fileIn(proto.Message.decode(bytes));
  if (file === null) return false;
  const { media_id: handle, type } = node.attrs;
  return !handle || type !== 'media' || file.directPath?.startsWith('/m1/') !== true;
};

const postTypes: ReadonlySet<string> = new Set(['text', 'media', 'poll']);

const react = (hub: HubState, channel: Channel, { account }: Device, node: BinaryNode): Taken => {
  if (channel.reactionCodes === 'NONE') return refused(405);
  const post = channel.posts.find(({ serverId, deleted }) => !deleted && String(serverId) === node.attrs['server_id']);
  if (post === undefined) return refused(404);
  const code = childOf(node, 'reaction')?.attrs['code'];
  if (code === undefined || code === '') post.reactions.delete(account);
  else post.reactions.set(account, code);
  return { pass: () => tellCounters(hub, channel, post) };
};

const change = (hub: HubState, channel: Channel, sender: Device, node: BinaryNode, edit: string): Taken => {
  const post = channel.posts.find(({ id, deleted }) => !deleted && id === node.attrs.id);
  if (post === undefined) return refused(404);
  const bytes = bytesOf(childOf(node, 'plaintext')) ?? new Uint8Array();
  if (edit === EDIT && !isReadable(bytes)) return refused(400);
  const said = { server_id: String(post.serverId) };
  return { said, pass: () => changePost(hub, channel, post, edit === EDIT ? bytes : null, sender) };
};

export const takePost = (hub: HubState, sender: Device, node: BinaryNode): Taken => {
  const channel = hub.channels.get(node.attrs.to ?? '');
  if (channel === undefined || channel.state === 'DELETED') return refused(404);
  if (node.attrs.type === 'reaction') return react(hub, channel, sender, node);
  if (!mayPost(channel, sender.account) || channel.state !== 'ACTIVE') return refused(403);
  const { id = '', edit, type = '' } = node.attrs;
  if (edit === EDIT || edit === REVOKE) return change(hub, channel, sender, node, edit);
  const bytes = bytesOf(childOf(node, 'plaintext'));
  if (bytes === null || !isReadable(bytes) || !postTypes.has(type)) return refused(400);
  if (isWrongMedia(node, bytes)) return refused(479);
  const known = channel.posts.find((post) => post.id === id);
  if (known !== undefined) return { said: { server_id: String(known.serverId) } };
  // Accepted but never shown, as reported (WAHA #1339, #1861).
  if (hub.faults.channelPosts === 'lost') return { said: { server_id: '1' } };
  const post = publish(hub, channel, { id, type, bytes });
  return { said: { server_id: String(post.serverId) }, pass: () => passOn(hub, channel, post, sender) };
};

/** `<receipt type=view>`: posts the account has viewed. */
export const takeViews = (hub: HubState, { account }: Device, receipt: BinaryNode): void => {
  const channel = hub.channels.get(receipt.attrs.to ?? '');
  const items = childOf(receipt, 'list')?.content;
  if (channel === undefined || !Array.isArray(items)) return;
  for (const { attrs } of items) {
    const post = channel.posts.find(({ serverId }) => String(serverId) === attrs['server_id']);
    if (post === undefined || post.views.has(account)) continue;
    post.views.add(account);
    tellCounters(hub, channel, post);
  }
};
