/** Channels: reading, following and creating them, and acts on their posts (docs/spec/channels.md). */
import {
  type Channel,
  type ChannelChange,
  type ChannelPage,
  type KeptPost,
  parseChannel,
  type PostedToChannel,
} from '../../domain/channels/channel.ts';
import type { Channels, PostContent } from '../../domain/channels/channels.ts';
import { isChannelJid, type Jid } from '../../domain/jid.ts';
import type { FileRequest } from '../../domain/messages/files.ts';
import { isMedia, type SendAttempt } from '../../domain/messages/outgoing.ts';
import { checkEmoji, checkPoll, checkText } from '../../domain/messages/rules.ts';
import type { Page, PageRequest } from '../../domain/stores.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { FileIntake, FileSource } from '../sending/files.ts';
import { previewer } from '../sending/link-preview.ts';
import { type Idempotency, isSince, SendOnce } from '../sending/send-once.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import type { RequestDeadline } from '../time/deadline.ts';
import { onOpenSession } from '../sending/readiness.ts';

export interface PostRequest {
  readonly channel: string;
  readonly content:
    | Exclude<PostContent, { readonly kind: FileRequest['kind'] }>
    | {
        readonly kind: 'file';
        readonly file: FileRequest;
        readonly source: FileSource | { readonly fileId: string };
        readonly caption: string | null;
      };
  readonly linkPreview?: boolean;
  readonly deadline: RequestDeadline;
}

/** After a crash, a post is searched for among this many of the newest. */
const looked = 50;

const serverIdRule = /^\d{1,15}$/;

const parseServerId = (text: string): number => {
  const serverId = serverIdRule.test(text) ? Number(text) : 0;
  if (serverId === 0) throw notFound('Post');
  return serverId;
};

const pageOf = (channels: readonly Channel[], { limit, cursor }: PageRequest): Page<Channel> => {
  if (cursor !== null && !isChannelJid(cursor)) throw invalidRequest('cursor must be a nextCursor that this list gave');
  const sorted = channels.toSorted((a, b) => (a.jid < b.jid ? -1 : 1));
  const left = cursor === null ? sorted : sorted.filter(({ jid }) => jid > cursor);
  const items = left.slice(0, limit);
  return { items, nextCursor: left.length > items.length ? items.at(-1)!.jid : null };
};

type On = <T>(scope: DeviceScope, act: (channels: Channels) => Promise<T>) => Promise<T>;
type OnChannel = <T>(scope: DeviceScope, text: string, act: (channels: Channels, jid: Jid) => Promise<T>) => Promise<T>;

const earlierPost = async (channels: Channels, jid: Jid, id: string): Promise<PostedToChannel | null> => {
  const newest = await channels.posts(jid, { before: null, limit: looked });
  const found = newest.find((post) => post.id === id);
  return found === undefined ? null : { serverId: found.serverId, state: 'accepted' };
};

interface NewChannel {
  readonly name: string;
  readonly description: string | null;
  readonly acceptTerms: boolean;
}

const create = async (channels: Channels, given: NewChannel, since: number | null): Promise<Channel> => {
  if (since !== null) {
    const mine = await channels.list();
    const made = mine.find(
      ({ role, name, createdAt }) => role === 'owner' && name === given.name && isSince(createdAt, since),
    );
    if (made !== undefined) return made;
  }
  return channels.create(given);
};

const checkContent = async (files: FileIntake, content: PostRequest['content']): Promise<void> => {
  if (content.kind === 'text') return checkText(content.text);
  if (content.kind === 'poll') return checkPoll(content.poll);
  const { source, file } = content;
  if ('url' in source || 'bytes' in source) await files.check(source, file.kind);
};

/** Throws like a send, and Forbidden unless the account administers the channel. */
const makePost = (parts: LiveParts, files: FileIntake, onChannel: OnChannel) => {
  const once = new SendOnce(parts);
  const previewed = previewer(parts, files);

  const send = async (scope: DeviceScope, id: string, { channel, content, linkPreview, deadline }: PostRequest) => {
    const { signal } = deadline;
    const post = (ready: PostContent): Promise<PostedToChannel> =>
      onChannel(scope, channel, (channels, jid) => channels.post({ id, jid, content: ready, signal }));
    if (content.kind !== 'file') {
      const whole = linkPreview === true ? await previewed(await scope.runtime(), content, deadline) : content;
      return post(whole.kind === 'text' ? whole : content);
    }
    await onChannel(scope, channel, (channels, jid) => channels.assertMayPost(jid));
    const { file, source, caption } = content;
    const requester = { userId: scope.userId, deadline };
    let posted: PostedToChannel | null = null;
    const use = (from: FileSource): Promise<void> =>
      files.with(from, file, caption, requester, async (ready) => {
        if (isMedia(ready)) posted = await post(ready);
      });
    if ('fileId' in source) await parts.uploads.use(scope, source.fileId, (upload) => use({ upload }));
    else await use(source);
    return posted!;
  };

  return async (
    scope: DeviceScope,
    given: PostRequest,
    idempotency?: Idempotency,
    attempt?: SendAttempt,
  ): Promise<PostedToChannel & { readonly id: string }> => {
    const { channel, content } = given;
    parseChannel(channel);
    await checkContent(files, content);
    const run = async (id: string, since: number | null): Promise<PostedToChannel & { readonly id: string }> => {
      const earlier =
        since === null ? null : await onChannel(scope, channel, (channels, jid) => earlierPost(channels, jid, id));
      return { id, ...(earlier ?? (await send(scope, id, given))) };
    };
    return once.make(scope.id, idempotency, run, attempt);
  };
};

const makePosts = (parts: LiveParts, files: FileIntake, onChannel: OnChannel) => ({
  post: makePost(parts, files, onChannel),
  posts: async (scope: DeviceScope, text: string, page: ChannelPage): Promise<readonly KeptPost[]> =>
    onChannel(scope, text, (channels, jid) => channels.posts(jid, page)),
  async edit(scope: DeviceScope, text: string, serverId: string, message: string): Promise<void> {
    checkText(message);
    const number = parseServerId(serverId);
    await onChannel(scope, text, (channels, jid) => channels.edit(jid, number, message));
  },
  async removePost(scope: DeviceScope, text: string, serverId: string): Promise<void> {
    const number = parseServerId(serverId);
    await onChannel(scope, text, (channels, jid) => channels.removePost(jid, number));
  },
  async react(scope: DeviceScope, text: string, serverId: string, reaction: string | null): Promise<void> {
    if (reaction !== null) checkEmoji(reaction);
    const number = parseServerId(serverId);
    await onChannel(scope, text, (channels, jid) => channels.react(jid, number, reaction));
  },
  async view(scope: DeviceScope, text: string, serverId: string): Promise<void> {
    const number = parseServerId(serverId);
    await onChannel(scope, text, (channels, jid) => channels.view(jid, number));
  },
});

export const makeChannels = (parts: LiveParts, files: FileIntake) => {
  const once = new SendOnce(parts);
  const on: On = (scope, act) => onOpenSession(parts, scope, ({ channels }) => act(channels));
  const onChannel: OnChannel = (scope, text, act) => {
    const ref = parseChannel(text);
    return on(scope, async (channels) => act(channels, 'jid' in ref ? ref.jid : (await channels.read(ref)).jid));
  };
  return {
    ...makePosts(parts, files, onChannel),
    list: (scope: DeviceScope, page: PageRequest): Promise<Page<Channel>> =>
      on(scope, async (channels) => pageOf(await channels.list(), page)),
    async get(scope: DeviceScope, text: string): Promise<Channel> {
      const ref = parseChannel(text);
      return on(scope, (channels) => channels.read(ref));
    },
    create: (scope: DeviceScope, given: NewChannel, idempotency?: Idempotency): Promise<Channel> =>
      once.make(scope.id, idempotency, (_id, since) => on(scope, (channels) => create(channels, given, since))),
    change: async (scope: DeviceScope, text: string, change: ChannelChange): Promise<Channel> =>
      onChannel(scope, text, (channels, jid) => channels.change(jid, change)),
    remove: async (scope: DeviceScope, text: string): Promise<void> =>
      onChannel(scope, text, (channels, jid) => channels.remove(jid)),
    follow: async (scope: DeviceScope, text: string): Promise<Channel> =>
      onChannel(scope, text, async (channels, jid) => {
        await channels.follow(jid);
        return channels.read({ jid });
      }),
    unfollow: async (scope: DeviceScope, text: string): Promise<void> =>
      onChannel(scope, text, (channels, jid) => channels.unfollow(jid)),
  };
};

export type ChannelService = ReturnType<typeof makeChannels>;
