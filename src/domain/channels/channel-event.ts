/** Events about channels (docs/spec/events.md, Event kinds). */
import type { Jid } from '../jid.ts';
import type { Channel, ChannelPost, PostCounters } from './channel.ts';

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
