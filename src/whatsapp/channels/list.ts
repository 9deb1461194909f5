/** The channels that the account owns, administers or follows. */
import type { Channel } from '../../domain/channels/channel.ts';
import { invalidRequest } from '../../errors.ts';
import { askChannels, type ChannelAsking } from './ask.ts';
import { readChannel } from './read-channel.ts';

export const listChannels = async (session: ChannelAsking): Promise<readonly Channel[]> => {
  const variables = { fetch_wamo_sub: false, fetch_status_metadata: false };
  const answer = await askChannels(session, 'channelList', variables, 'xwa2_newsletter_subscribed', false);
  if (!Array.isArray(answer)) throw invalidRequest('The network does not list channels in a form that is known');
  return answer.flatMap((described) => readChannel(described) ?? []);
};
