/** The port to channels: what is asked of an open connection (docs/spec/channels.md). */
import type { Jid } from '../jid.ts';
import type { FileContent } from '../messages/files.ts';
import type { OutgoingContent } from '../messages/outgoing.ts';
import type { Channel, ChannelChange, ChannelPage, ChannelRef, KeptPost, PostedToChannel } from './channel.ts';

export type PostContent = Extract<OutgoingContent, { readonly kind: 'text' | 'poll' }> | FileContent;

export interface PostToChannel {
  readonly id: string;
  readonly jid: Jid;
  readonly content: PostContent;
  /** Aborted when the caller is gone: not posted if not uploaded by then. */
  readonly signal?: AbortSignal | undefined;
}

/** All throw NotFound, Forbidden (administrators only), DeviceNotConnected, RequestTimeout, and InvalidRequest with the reason for other refusals. */
export interface Channels {
  list(): Promise<readonly Channel[]>;
  read(ref: ChannelRef): Promise<Channel>;
  follow(jid: Jid): Promise<void>;
  unfollow(jid: Jid): Promise<void>;
  /** Throws Conflict if the terms for owners must be accepted first. */
  create(given: {
    readonly name: string;
    readonly description: string | null;
    readonly acceptTerms: boolean;
  }): Promise<Channel>;
  change(jid: Jid, change: ChannelChange): Promise<Channel>;
  remove(jid: Jid): Promise<void>;
  /** Newest first. */
  posts(jid: Jid, page: ChannelPage): Promise<readonly KeptPost[]>;
  /** Throws Forbidden if the account may not post; asked before a file is fetched. */
  assertMayPost(jid: Jid): Promise<void>;
  /** Throws SendFailed, or SendMediaFailed for a file, with the reason if the network refuses it. */
  post(post: PostToChannel): Promise<PostedToChannel>;
  edit(jid: Jid, serverId: number, text: string): Promise<void>;
  removePost(jid: Jid, serverId: number): Promise<void>;
  react(jid: Jid, serverId: number, reaction: string | null): Promise<void>;
  view(jid: Jid, serverId: number): Promise<void>;
}
