/**
 * Acts on channels (whatsmeow `newsletter.go`, `send.go`, 33cfac51, 2026-08; zapo, 2026-08-19); untried on the real network.
 * A post counts only if acked and shown afterwards: gateways reported posts as sent that nobody ever saw (WAHA #1339, #1523, #1861).
 */
import type {
  Channel,
  ChannelChange,
  ChannelPage,
  ChannelRef,
  KeptPost,
  PostedToChannel,
} from '../../domain/channels/channel.ts';
import type { Channels, PostContent, PostToChannel } from '../../domain/channels/channels.ts';
import type { Jid } from '../../domain/jid.ts';
import { isMedia } from '../../domain/messages/outgoing.ts';
import { HandsetError, invalidRequest, isUnavailable, messageOf, notFound, SendOutcomeUnknown } from '../../errors.ts';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../library/nodes.ts';
import { proto } from '../library/proto.ts';
import { makeMessageId, shapeOf } from '../send/message-stanza.ts';
import { SendRefused } from '../send/server-ack.ts';
import type { Session } from '../session.ts';
import { askChannels, askOfChannel, notAdministrator, notAllowed, listChannels } from './ask.ts';
import { readChannel, isSame, keptPostsIn } from './read-channel.ts';
import { composePoll } from '../translate/kinds/poll.ts';
import { withPreview } from '../translate/kinds/text.ts';
import { uploadPost } from './upload.ts';

const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content };

const readOf = (described: unknown): Channel => {
  const channel = readChannel(described);
  if (channel === null) throw notFound('Channel');
  return channel;
};

const read = async (session: Session, ref: ChannelRef): Promise<Channel> => {
  const named = 'jid' in ref ? { key: ref.jid, type: 'JID' } : { key: ref.invite, type: 'INVITE' };
  const variables = {
    input: { ...named, view_role: 'SUBSCRIBER' },
    fetch_viewer_metadata: true,
    fetch_full_image: false,
    fetch_creation_time: true,
    fetch_wamo_sub: false,
    fetch_status_metadata: false,
    fetch_pinned_messages: false,
  };
  return readOf(await askChannels(session, 'channelRead', variables, 'xwa2_newsletter'));
};

/** AB property 3834 (`newsletter_creation_tos_id`), by default (zapo, 2026-08-19). */
const creationTerms = '20601217';

const termsStanza = (type: 'get' | 'set', request: BinaryNode): BinaryNode =>
  node('iq', { to: S_WHATSAPP_NET, xmlns: 'tos', type }, [request]);

/** Accepting terms is the owner's act: never without `acceptTerms`. */
const settleTerms = async (session: Session, acceptTerms: boolean): Promise<void> => {
  const notice = node('notice', { id: creationTerms });
  const answer = await askOfChannel(session, termsStanza('get', node('request', {}, [notice])));
  const notices = getBinaryNodeChildren(getBinaryNodeChild(answer, 'tos'), 'notice');
  if (notices.some(({ attrs }) => attrs['id'] === creationTerms && attrs['state'] === 'ACCEPTED')) return;
  if (!acceptTerms)
    throw new HandsetError('Conflict', 'The account has not accepted the terms for channels; acceptTerms does so');
  await askOfChannel(session, termsStanza('set', node('request', { type: 'session_update' }, [notice])));
};

const create: (session: Session, given: Parameters<Channels['create']>[0]) => Promise<Channel> = async (
  session,
  { name, description, acceptTerms },
) => {
  await settleTerms(session, acceptTerms);
  const input = { name, ...(description !== null && { description }) };
  const answer = await askChannels(session, 'channelCreate', { input }, 'xwa2_newsletter_create', false);
  const channel = readChannel(answer);
  if (channel === null) throw invalidRequest('The network made no channel');
  session.channels.made();
  // A new channel belongs to the account, even if the answer has no role.
  return channel.role === 'guest' ? { ...channel, role: 'owner' } : channel;
};

const administered = async (session: Session, jid: Jid): Promise<Channel> => {
  const channel = await read(session, { jid });
  if (channel.role !== 'owner' && channel.role !== 'admin') throw notAdministrator();
  return channel;
};

/** The apps' mute is that of administrators' activity, the posts (whatsapp-rust `NewsletterMetadata`, after WhatsApp Web, 2026-11). */
const mute = async (session: Session, jid: Jid, muted: boolean): Promise<void> => {
  const { role } = await read(session, { jid });
  if (role === 'guest') throw invalidRequest('The account does not follow this channel');
  const input = { newsletter_id: jid, type: 'MUTE_ADMIN_ACTIVITY', value: muted ? 'ON' : 'OFF' };
  await askChannels(session, 'channelMute', { input }, 'xwa2_newsletter_update_user_setting');
};

const change = async (session: Session, jid: Jid, { muted, ...given }: ChannelChange): Promise<Channel> => {
  const { name, description, reactions } = given;
  if (Object.values(given).every((value) => value === undefined)) {
    if (muted !== undefined) await mute(session, jid, muted);
    return read(session, { jid });
  }
  await administered(session, jid);
  if (muted !== undefined) await mute(session, jid, muted);
  const updates = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description: description ?? '' }),
    settings: reactions === undefined ? null : { reaction_codes: { value: (reactions ?? 'all').toUpperCase() } },
  };
  await askChannels(session, 'channelUpdate', { newsletter_id: jid, updates }, 'xwa2_newsletter_update');
  return read(session, { jid });
};

const posts = async (session: Session, jid: Jid, { before, limit }: ChannelPage): Promise<readonly KeptPost[]> => {
  const at = before === null ? {} : { before: String(before) };
  const request = node('messages', { type: 'jid', jid, count: String(limit), ...at });
  const stanza = node('iq', { to: S_WHATSAPP_NET, xmlns: 'newsletter', type: 'get' }, [request]);
  const answer = await askOfChannel(session, stanza);
  return keptPostsIn(getBinaryNodeChild(answer, 'messages'), limit, session.clock.now());
};

const find = async (session: Session, jid: Jid, serverId: number): Promise<KeptPost> => {
  const [post] = await posts(session, jid, { before: serverId + 1, limit: 1 });
  if (post?.serverId !== serverId) throw notFound('Post');
  return post;
};

/** Elsewhere 479 means a removed device, here a form that followers could not open (WAHA #1523). */
const malformed = '479';

/** Sends and waits for the ack. Throws with the reason if refused. */
const sent = async (session: Session, id: string, attrs: Record<string, string>, content: BinaryNode[]) => {
  const { line, acks } = session;
  const ack = acks.wait(id, Promise.resolve());
  line.send([node('message', { id, ...attrs }, content)]);
  try {
    return await ack;
  } catch (error) {
    if (error instanceof SendRefused && ['401', '403'].includes(error.code)) throw notAdministrator();
    if (error instanceof SendRefused || error instanceof SendOutcomeUnknown) {
      const isMalformed = error instanceof SendRefused && error.code === malformed;
      const why = isMalformed ? `the network found the post malformed (error ${malformed})` : error.message;
      throw new HandsetError('SendFailed', `Failed to send to the channel: ${why}`, { cause: error });
    }
    throw error;
  }
};

/** Reads the post back, like WhatsApp Web. Several, as another administrator may post meanwhile. */
const readBack = async (
  session: Session,
  { id, jid }: PostToChannel,
  said: proto.IMessage,
): Promise<KeptPost | null> => {
  try {
    const newest = await posts(session, jid, { before: null, limit: 5 });
    const post = newest.find((each) => each.id === id);
    return post !== undefined && isSame(post, said) ? post : null;
  } catch (error) {
    session.log.debug({ error: messageOf(error) }, 'a post could not be read back');
    return null;
  }
};

const plaintext = (message: proto.IMessage, attrs: BinaryNode['attrs'] = {}): BinaryNode =>
  node('plaintext', attrs, proto.Message.encode(message).finish());

const assertMayPost = async (session: Session, jid: Jid): Promise<void> => {
  const { state } = await administered(session, jid);
  if (state !== 'active' && state !== 'unknown')
    throw notAllowed('The channel is suspended: nothing can be posted to it');
};

const textOf = ({ text, preview }: Extract<PostContent, { readonly kind: 'text' }>): proto.IMessage =>
  preview === undefined ? { extendedTextMessage: { text } } : withPreview(text, preview);

/** Without a message secret or timer: posts are not encrypted. */
const composed = async (
  session: Session,
  { content, signal }: PostToChannel,
): Promise<{ readonly message: proto.IMessage; readonly handle?: string }> => {
  switch (content.kind) {
    case 'text':
      return { message: textOf(content) };
    case 'poll':
      return { message: composePoll(content.poll) };
    default:
      return uploadPost(session, content, signal);
  }
};

const withWords = async <T>(content: PostContent, act: () => Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (cause) {
    if (!isMedia(content) || cause instanceof HandsetError || isUnavailable(cause)) throw cause;
    throw new HandsetError('SendMediaFailed', 'Failed to send media message', { cause });
  }
};

const post = async (session: Session, given: PostToChannel): Promise<PostedToChannel> => {
  const { id, jid, content, signal } = given;
  await assertMayPost(session, jid);
  const { message, handle } = await withWords(content, () => composed(session, given));
  signal?.throwIfAborted();
  const { type, enc, meta } = shapeOf(message);
  const attrs = { to: jid, type, ...(handle !== undefined && { media_id: handle }) };
  const said = await sent(session, id, attrs, [plaintext(message, enc), ...meta]);
  const kept = await readBack(session, given, message);
  const serverId = kept?.serverId ?? said.serverId ?? null;
  return { serverId, state: kept === null ? 'unconfirmed' : 'accepted' };
};

/** The id its author gave the post, required to change it. */
const idOf = async (session: Session, jid: Jid, serverId: number): Promise<string> => {
  await administered(session, jid);
  const { id, deleted } = await find(session, jid, serverId);
  if (id === null || deleted) throw notFound('Post');
  return id;
};

const edit = async (session: Session, jid: Jid, serverId: number, text: string): Promise<void> => {
  const id = await idOf(session, jid, serverId);
  const { type } = await find(session, jid, serverId);
  if (type !== 'text') throw invalidRequest('Only the text of a text post can be edited');
  await sent(session, id, { to: jid, type: 'text', edit: '3' }, [plaintext({ extendedTextMessage: { text } })]);
};

const removePost = async (session: Session, jid: Jid, serverId: number): Promise<void> => {
  const id = await idOf(session, jid, serverId);
  await sent(session, id, { to: jid, type: 'text', edit: '8' }, [node('plaintext')]);
};

const react = async (session: Session, jid: Jid, serverId: number, reaction: string | null): Promise<void> => {
  const channel = await read(session, { jid });
  if (channel.reactions === 'none') throw invalidRequest('This channel takes no reactions');
  await find(session, jid, serverId);
  const attrs = { to: jid, type: 'reaction', server_id: String(serverId), ...(reaction === null && { edit: '7' }) };
  await sent(session, makeMessageId(), attrs, [node('reaction', reaction === null ? {} : { code: reaction })]);
};

const view = async (session: Session, jid: Jid, serverId: number): Promise<void> => {
  await find(session, jid, serverId);
  const items = [node('item', { server_id: String(serverId) })];
  await session.sock.sendNode(
    node('receipt', { to: jid, type: 'view', id: makeMessageId() }, [node('list', {}, items)]),
  );
};

const unfollow = async (session: Session, jid: Jid): Promise<void> => {
  try {
    await askChannels(session, 'channelUnfollow', { newsletter_id: jid }, 'xwa2_newsletter_leave_v2');
  } catch (error) {
    const isOwner = error instanceof HandsetError && error.name === 'Forbidden';
    throw isOwner ? notAllowed('The owner of a channel follows it for good') : error;
  }
};

/** `open` throws DeviceNotConnected while there is no connection. */
export const channelsOf = (open: () => Session): Channels => ({
  list: async () => listChannels(open()),
  read: async (ref) => read(open(), ref),
  follow: async (jid) =>
    void (await askChannels(open(), 'channelFollow', { newsletter_id: jid }, 'xwa2_newsletter_join_v2')),
  unfollow: async (jid) => unfollow(open(), jid),
  create: async (given) => create(open(), given),
  change: async (jid, given) => change(open(), jid, given),
  async remove(jid) {
    const session = open();
    const { role } = await read(session, { jid });
    if (role !== 'owner') throw notAdministrator();
    await askChannels(session, 'channelDelete', { newsletter_id: jid }, 'xwa2_newsletter_delete_v2');
  },
  posts: async (jid, page) => posts(open(), jid, page),
  assertMayPost: async (jid) => assertMayPost(open(), jid),
  post: async (given) => post(open(), given),
  edit: async (...given) => edit(open(), ...given),
  removePost: async (...given) => removePost(open(), ...given),
  react: async (...given) => react(open(), ...given),
  view: async (...given) => view(open(), ...given),
});
