/**
 * Queries about channels: GraphQL by number (`w:mex`), the posts of one, its counters, and the terms before one is made. Numbers and forms: zapo
 * (2026-08-19) and whatsapp-rust (2026-08-21), which agree; whatsmeow's are of 2023. Error codes are assumed.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import { seconds } from '../../base/clock.ts';
import { isObject } from '../../base/fields.ts';
import { childOf, childrenOf, element, errorOf, resultOf } from '../../base/nodes.ts';
import type { Account, Device } from '../../base/types.ts';
import { audienceOf, type Channel, mayPost, roleOf } from '../channels/channel.ts';
import { liveSeconds, postNode } from '../messages/channels.ts';
import { devicesOf } from '../messages/participants.ts';
import { deliver } from '../messages/queue.ts';
import type { HubState } from '../state/state.ts';
import type { IqTable } from './table.ts';

const SERVER = '@s.whatsapp.net';
/** AB property 3834 (`newsletter_creation_tos_id`), by default. */
const creationTerms = '20601217';

const maxName = 100;
const maxDescription = 2_048;

type Json = Readonly<Record<string, unknown>>;

interface Failure {
  readonly code: number;
  readonly text: string;
}

type Answer = { readonly data: Json } | { readonly failure: Failure };

const failed = (code: number, text: string): Answer => ({ failure: { code, text } });

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** As whatsmeow's `types.NewsletterMetadata` reads it. */
const channelJson = (channel: Channel, account: Account) => {
  const { jid: id, name, description, invite, createdAt, state, reactionCodes } = channel;
  const at = String(createdAt * 1000);
  return {
    id,
    state: { type: state },
    thread_metadata: {
      creation_time: String(Math.floor(createdAt / 1000)),
      name: { id: '1', text: name, update_time: at },
      description: { id: '2', text: description, update_time: at },
      invite,
      subscribers_count: String(channel.followers.size),
      verification: 'UNVERIFIED',
      picture: null,
      preview: null,
      settings: { reaction_codes: { value: reactionCodes } },
    },
    viewer_metadata: {
      role: roleOf(channel, account),
      settings: [{ type: 'MUTE_ADMIN_ACTIVITY', value: channel.muted.has(account) ? 'ON' : 'OFF' }],
    },
  };
};

const tell = (hub: HubState, account: Account, operation: string, data: object): void => {
  const content = Buffer.from(JSON.stringify({ data }));
  for (const device of devicesOf([account])) {
    if (device.id === 0) continue;
    const attrs = { id: hub.nextId(), from: SERVER, type: 'mex', t: seconds(hub.clock) };
    deliver(hub, device, element('notification', attrs, [element('update', { op_name: operation }, content)]));
  }
};

export const tellChanged = (hub: HubState, channel: Channel): void => {
  for (const account of audienceOf(channel)) {
    const { id, state, thread_metadata } = channelJson(channel, account);
    if (channel.state === 'ACTIVE')
      tell(hub, account, 'NotificationNewsletterUpdate', {
        xwa2_notify_newsletter_on_metadata_update: { id, thread_metadata },
      });
    else
      tell(hub, account, 'NotificationNewsletterStateChange', {
        xwa2_notify_newsletter_on_state_change: { id, state },
      });
  }
};

export const makeChannel = (hub: HubState, owner: Account, name: string, description: string): Channel => {
  const channel: Channel = {
    jid: `${120363_000_000_000_000 + randomInt(1, 999_999_999)}@newsletter`,
    invite: `0029Va${randomBytes(12).toString('hex').slice(0, 16)}`,
    owner,
    createdAt: hub.clock.now(),
    name,
    description,
    state: 'ACTIVE',
    reactionCodes: 'ALL',
    admins: new Set(),
    followers: new Set(),
    muted: new Set(),
    posts: [],
  };
  hub.channels.set(channel.jid, channel);
  return channel;
};

export const join = (hub: HubState, channel: Channel, account: Account): void => {
  channel.followers.add(account);
  tell(hub, account, 'NotificationNewsletterJoin', {
    xwa2_notify_newsletter_on_join: channelJson(channel, account),
  });
};

export const leave = (hub: HubState, channel: Channel, account: Account): void => {
  channel.followers.delete(account);
  tell(hub, account, 'NotificationNewsletterLeave', {
    xwa2_notify_newsletter_on_leave: { id: channel.jid },
  });
};

type Query = (hub: HubState, account: Account, variables: Json) => Answer;

const living = (hub: HubState, jid: unknown): Channel | null => {
  const channel = typeof jid === 'string' ? hub.channels.get(jid) : undefined;
  return channel === undefined || channel.state === 'DELETED' ? null : channel;
};

const notThere = failed(404, 'Not Found');
const notAllowed = failed(403, 'Forbidden');

const read: Query = (hub, account, { input }) => {
  const { key, type } = isObject(input) ? input : {};
  const found = type === 'INVITE' ? [...hub.channels.values()].find(({ invite }) => invite === key)?.jid : textIn(key);
  const channel = living(hub, found);
  return channel === null ? notThere : { data: { xwa2_newsletter: channelJson(channel, account) } };
};

const list: Query = (hub, account) => {
  const mine = [...hub.channels.values()].filter(
    (channel) => channel.state !== 'DELETED' && roleOf(channel, account) !== 'GUEST',
  );
  return { data: { xwa2_newsletter_subscribed: mine.map((channel) => channelJson(channel, account)) } };
};

const follow: Query = (hub, account, { newsletter_id: jid }) => {
  const channel = living(hub, jid);
  if (channel === null) return notThere;
  if (!mayPost(channel, account) && !channel.followers.has(account)) join(hub, channel, account);
  return { data: { xwa2_newsletter_join_v2: { id: channel.jid, state: { type: channel.state } } } };
};

const unfollow: Query = (hub, account, { newsletter_id: jid }) => {
  const channel = living(hub, jid);
  if (channel === null) return notThere;
  if (channel.owner === account) return notAllowed;
  if (channel.followers.has(account)) leave(hub, channel, account);
  return { data: { xwa2_newsletter_leave_v2: { id: channel.jid, state: { type: channel.state } } } };
};

const isText = (value: unknown, min: number, max: number): value is string =>
  typeof value === 'string' && value.length >= min && value.length <= max;

const create: Query = (hub, account, { input }) => {
  const { name, description } = isObject(input) ? input : {};
  const text = description ?? '';
  if (!isText(name, 1, maxName) || !isText(text, 0, maxDescription)) return failed(400, 'Bad Request');
  if (hub.terms.get(account)?.has(creationTerms) !== true) return notAllowed;
  return { data: { xwa2_newsletter_create: channelJson(makeChannel(hub, account, name, text), account) } };
};

const update: Query = (hub, account, { newsletter_id: jid, updates }) => {
  const channel = living(hub, jid);
  if (channel === null) return notThere;
  if (!mayPost(channel, account)) return notAllowed;
  const { name, description, settings } = isObject(updates) ? updates : {};
  const codes = isObject(settings) && isObject(settings['reaction_codes']) ? settings['reaction_codes']['value'] : null;
  if ((name ?? null) !== null && !isText(name, 1, maxName)) return failed(400, 'Bad Request');
  if ((description ?? null) !== null && !isText(description, 0, maxDescription)) return failed(400, 'Bad Request');
  channel.name = textIn(name) ?? channel.name;
  channel.description = textIn(description) ?? channel.description;
  if (codes === 'ALL' || codes === 'BASIC' || codes === 'NONE') channel.reactionCodes = codes;
  tellChanged(hub, channel);
  return { data: { xwa2_newsletter_update: channelJson(channel, account) } };
};

const remove: Query = (hub, account, { newsletter_id: jid }) => {
  const channel = living(hub, jid);
  if (channel === null) return notThere;
  if (channel.owner !== account) return notAllowed;
  channel.state = 'DELETED';
  tellChanged(hub, channel);
  return { data: { xwa2_newsletter_delete_v2: { id: channel.jid, state: { type: channel.state } } } };
};

const mute: Query = (hub, account, { input }) => {
  const { newsletter_id: jid, type, value } = isObject(input) ? input : {};
  const channel = living(hub, jid);
  if (channel === null) return notThere;
  const isKnown = type === 'MUTE_ADMIN_ACTIVITY' || type === 'MUTE_FOLLOWER_ACTIVITY';
  if (!isKnown || (value !== 'ON' && value !== 'OFF')) return failed(400, 'Bad Request');
  if (roleOf(channel, account) === 'GUEST') return notAllowed;
  if (type === 'MUTE_ADMIN_ACTIVITY' && value === 'ON') channel.muted.add(account);
  else if (type === 'MUTE_ADMIN_ACTIVITY') channel.muted.delete(account);
  return { data: { xwa2_newsletter_update_user_setting: { id: channel.jid, state: { type: channel.state } } } };
};

/** Keys are strings, as these numbers exceed 2^53. */
const queries: ReadonlyMap<string, Query> = new Map([
  ['25399611239711790', list],
  ['27456920720571478', read],
  ['24404358912487870', follow],
  ['9767147403369991', unfollow],
  ['25149874324715067', create],
  ['24250201037901610', update],
  ['30062808666639665', remove],
  ['31938993655691868', mute],
]);

export const answerAboutChannels = (
  hub: HubState,
  account: Account,
  id: string,
  variables: unknown,
): { readonly data: Json | null; readonly errors?: readonly object[] } | null => {
  const query = queries.get(id);
  if (query === undefined) return null;
  const answer = query(hub, account, isObject(variables) ? variables : {});
  if ('data' in answer) return answer;
  const { code, text } = answer.failure;
  return { data: null, errors: [{ message: text, extensions: { error_code: code, severity: 'CRITICAL' } }] };
};

const maxPosts = 100;

const pageOf = (channel: Channel, { count, before, after }: BinaryNode['attrs']) => {
  const most = Math.min(Number(count ?? maxPosts) || maxPosts, maxPosts);
  const within = channel.posts.filter(
    ({ serverId }) =>
      (before === undefined || serverId < Number(before)) && (after === undefined || serverId > Number(after)),
  );
  return after === undefined ? within.slice(-most) : within.slice(0, most);
};

const history = (hub: HubState, { account }: Device, iq: BinaryNode): BinaryNode => {
  const asked = childOf(iq, 'messages');
  const channel = living(hub, asked?.attrs['jid']);
  if (asked === undefined || channel === null) return errorOf(iq, 404, 'item-not-found');
  const shown = mayPost(channel, account) || channel.state === 'ACTIVE';
  if (!shown) return errorOf(iq, 403, 'forbidden');
  const attrs = { jid: channel.jid, t: seconds(hub.clock) };
  return resultOf(iq, [element('messages', attrs, pageOf(channel, asked.attrs).map(postNode))]);
};

const updates = (hub: HubState, _device: Device, iq: BinaryNode): BinaryNode => {
  const channel = living(hub, iq.attrs.to);
  const asked = childOf(iq, 'message_updates');
  if (channel === null || asked === undefined) return errorOf(iq, 404, 'item-not-found');
  const changed = pageOf(channel, asked.attrs).map((post) => postNode({ ...post, bytes: new Uint8Array() }));
  return resultOf(iq, [
    element('message_updates', { t: seconds(hub.clock) }, [element('messages', { jid: channel.jid }, changed)]),
  ]);
};

const watch = (hub: HubState, device: Device, iq: BinaryNode): BinaryNode => {
  const channel = living(hub, iq.attrs.to);
  if (channel === null) return errorOf(iq, 404, 'item-not-found');
  const watching = hub.liveUpdates.get(channel.jid) ?? new Map<Device, number>();
  watching.set(device, hub.clock.now() + liveSeconds * 1000);
  hub.liveUpdates.set(channel.jid, watching);
  return resultOf(iq, [element('live_updates', { duration: String(liveSeconds) })]);
};

const noticesIn = (node: BinaryNode | undefined): readonly string[] =>
  childrenOf(node).flatMap(({ tag, attrs }) => (tag === 'notice' && attrs.id !== undefined ? [attrs.id] : []));

const askTerms = (hub: HubState, { account }: Device, iq: BinaryNode): BinaryNode => {
  const accepted = hub.terms.get(account) ?? new Set<string>();
  const notices = noticesIn(childOf(iq, 'request')).map((id) =>
    element('notice', { id, state: accepted.has(id) ? 'ACCEPTED' : 'NOT_ACCEPTED' }),
  );
  return resultOf(iq, [element('tos', {}, notices)]);
};

const acceptTerms = (hub: HubState, { account }: Device, iq: BinaryNode): BinaryNode => {
  const accepted = hub.terms.get(account) ?? new Set<string>();
  for (const id of noticesIn(childOf(iq, 'request'))) accepted.add(id);
  hub.terms.set(account, accepted);
  return resultOf(iq);
};

export const channelIqs: IqTable = {
  'newsletter get messages': history,
  'newsletter get message_updates': updates,
  'newsletter set live_updates': watch,
  'tos get request': askTerms,
  'tos set request': acceptTerms,
};
