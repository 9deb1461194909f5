/** Channels (newsletters) that the account owns or follows, and their posts (docs/spec/channels.md). */
import { invalidRequest } from '../../errors.ts';
import { isChannelJid, type Jid } from '../jid.ts';
import type { MessageMedia, MessageType } from '../messages/parts.ts';

export const channelRoles = ['owner', 'admin', 'follower', 'guest'] as const;
export type ChannelRole = (typeof channelRoles)[number];

export const channelStates = ['active', 'suspended', 'geosuspended', 'deleted', 'unknown'] as const;
export type ChannelState = (typeof channelStates)[number];

export const channelReactions = ['all', 'basic', 'none'] as const;
export type ChannelReactions = (typeof channelReactions)[number];

export interface Channel {
  readonly jid: Jid;
  readonly name: string | null;
  readonly description: string | null;
  /** The code of its link; null: the network sent none. */
  readonly invite: string | null;
  readonly role: ChannelRole;
  readonly state: ChannelState;
  readonly followers: number | null;
  readonly verified: boolean;
  readonly reactions: ChannelReactions | null;
  readonly muted: boolean | null;
  readonly createdAt: number | null;
}

export interface ChannelPost {
  /** The network's number of the post in its channel. */
  readonly serverId: number;
  readonly id: string | null;
  readonly timestamp: number;
  readonly type: MessageType;
  readonly text: string | null;
  readonly media: MessageMedia | null;
}

export interface ReactionCount {
  readonly reaction: string;
  readonly count: number;
}

export interface PostCounters {
  readonly views: number | null;
  readonly reactions: readonly ReactionCount[];
}

export interface KeptPost extends ChannelPost, PostCounters {
  readonly deleted: boolean;
}

/** Administrators only, except `muted`. */
export type ChannelChange = {
  readonly [Name in 'name' | 'description' | 'reactions']?: Channel[Name] | undefined;
} & { readonly muted?: boolean | undefined };

export type ChannelRef = { readonly jid: Jid } | { readonly invite: string };

export interface ChannelPage {
  /** Ends before the post of this number; null: with the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** `unconfirmed`: the network acknowledged it but does not show it. `serverId` null: the network sent no number. */
export interface PostedToChannel {
  readonly serverId: number | null;
  readonly state: 'accepted' | 'unconfirmed';
}

const inviteRule = /^(?:https:\/\/(?:www\.)?whatsapp\.com\/channel\/)?([A-Za-z0-9_-]{16,64})\/?$/;
const maxCharacters = 200;

/** A JID, a channel link, or its code. Throws InvalidRequest. */
export const parseChannel = (text: string): ChannelRef => {
  if (text.length <= maxCharacters) {
    if (isChannelJid(text)) return { jid: text };
    const invite = inviteRule.exec(text)?.[1];
    if (invite !== undefined) return { invite };
  }
  throw invalidRequest('channel must be the JID of a channel (<digits>@newsletter), or its link');
};

export type ChannelUpdate = { readonly text: string | null } | { readonly deleted: true } | PostCounters;

export type ChannelEvent =
  | {
      readonly type: 'channel.message';
      readonly data: {
        readonly channel: Jid;
        /** Of a channel that the account owns or administers. */
        readonly own: boolean;
        readonly message: ChannelPost;
      };
    }
  | {
      readonly type: 'channel.message.updated';
      readonly data: { readonly channel: Jid; readonly serverId: number; readonly update: ChannelUpdate };
    }
  | {
      readonly type: 'channel.updated';
      readonly data: {
        readonly channel: Jid;
        readonly change: Partial<Pick<Channel, 'name' | 'description' | 'state'>> & { readonly following?: boolean };
      };
    };
