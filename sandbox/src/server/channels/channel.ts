/** A channel (newsletter): its owner, its followers and its posts, which the server reads as they are not encrypted. Times in ms. */
import type { Account } from '../../base/types.ts';

export type ReactionCodes = 'ALL' | 'BASIC' | 'NONE';
export type ChannelState = 'ACTIVE' | 'SUSPENDED' | 'GEOSUSPENDED' | 'DELETED';

export interface ChannelPost {
  readonly serverId: number;
  /** The id that the author's client gave it. */
  readonly id: string;
  readonly at: number;
  /** `text`, `media` or `poll`, as the stanza had it. */
  type: string;
  /** The message; empty once the post is deleted. */
  bytes: Uint8Array;
  editedAt: number | null;
  deleted: boolean;
  readonly reactions: Map<Account, string>;
  readonly views: Set<Account>;
}

export interface Channel {
  readonly jid: string;
  readonly invite: string;
  readonly owner: Account;
  readonly createdAt: number;
  name: string;
  description: string;
  state: ChannelState;
  reactionCodes: ReactionCodes;
  readonly admins: Set<Account>;
  readonly followers: Set<Account>;
  readonly muted: Set<Account>;
  readonly posts: ChannelPost[];
}

export type Role = 'OWNER' | 'ADMIN' | 'SUBSCRIBER' | 'GUEST';

export const roleOf = ({ owner, admins, followers }: Channel, account: Account): Role => {
  if (owner === account) return 'OWNER';
  if (admins.has(account)) return 'ADMIN';
  return followers.has(account) ? 'SUBSCRIBER' : 'GUEST';
};

export const mayPost = (channel: Channel, account: Account): boolean =>
  channel.owner === account || channel.admins.has(account);

export const audienceOf = ({ owner, admins, followers }: Channel): ReadonlySet<Account> =>
  new Set([owner, ...admins, ...followers]);

type PostJson = Omit<ChannelPost, 'bytes' | 'reactions' | 'views'> & {
  readonly bytes: string;
  readonly reactions: readonly (readonly [string, string])[];
  readonly views: readonly string[];
};

export interface ChannelJson extends Omit<Channel, 'owner' | 'admins' | 'followers' | 'muted' | 'posts'> {
  readonly owner: string;
  readonly admins: readonly string[];
  readonly followers: readonly string[];
  readonly muted: readonly string[];
  readonly posts: readonly PostJson[];
}

const numbers = (accounts: Iterable<Account>): string[] => [...accounts].map(({ number }) => number);

export const saveChannel = ({ owner, admins, followers, muted, posts, ...same }: Channel): ChannelJson => ({
  ...same,
  owner: owner.number,
  admins: numbers(admins),
  followers: numbers(followers),
  muted: numbers(muted),
  posts: posts.map(({ bytes, reactions, views, ...post }) => ({
    ...post,
    bytes: Buffer.from(bytes).toString('base64'),
    reactions: [...reactions].map(([{ number }, code]) => [number, code] as const),
    views: numbers(views),
  })),
});

export const loadChannel = (saved: ChannelJson, accountOf: (number: string) => Account): Channel => {
  const { owner, admins, followers, muted, posts, ...same } = saved;
  return {
    ...same,
    owner: accountOf(owner),
    admins: new Set(admins.map(accountOf)),
    followers: new Set(followers.map(accountOf)),
    muted: new Set(muted.map(accountOf)),
    posts: posts.map(({ bytes, reactions, views, ...post }) => ({
      ...post,
      bytes: Uint8Array.from(Buffer.from(bytes, 'base64')),
      reactions: new Map(reactions.map(([number, code]) => [accountOf(number), code])),
      views: new Set(views.map(accountOf)),
    })),
  };
};
