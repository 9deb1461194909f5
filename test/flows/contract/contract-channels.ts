/** Channels for generated requests, so that every operation on channels can succeed: each that takes something away has one of its own. */
import type { Known } from '../../support/arbitrary.ts';
import type { Phones } from '../../support/phones.ts';

export interface KnownChannels {
  readonly own: Readonly<Record<string, Known>>;
  readonly known: Known;
}

/** `owner` has channels; the one of `other` can be followed. */
export const channelsFor = async (phones: Phones, owner: string, other: string): Promise<KnownChannels> => {
  const make = async (by: string): Promise<string> =>
    (await phones.request<{ channel: { jid: string } }>('POST', '/channels', { owner: by, name: 'News' })).channel.jid;
  const post = async (channel: string): Promise<number> => {
    const path = `/channels/${channel}/posts`;
    const { posts } = await phones.request<{ posts: { serverId: number }[] }>('POST', path, { text: 'hello' });
    return posts[0]!.serverId;
  };
  const [kept, ended, ofOther] = [await make(owner), await make(owner), await make(other)];
  const [serverId, deleted] = [await post(kept), await post(kept)];
  return {
    own: {
      deleteChannel: { channel: [ended] },
      deleteChannelMessage: { channel: [kept], serverId: [deleted] },
      followChannel: { channel: [ofOther] },
      unfollowChannel: { channel: [ofOther] },
      listChannels: { cursor: ['1203630000@newsletter'] },
    },
    known: { channel: [kept], serverId: [serverId], before: [serverId + 1] },
  };
};
