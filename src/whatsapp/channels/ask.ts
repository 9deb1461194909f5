/** Queries about channels. A refusal is an error next to empty data; ignored, it would look like an account without channels (WAHA #1800). */
import type { Channel } from '../../domain/channels/channel.ts';
import { HandsetError, invalidRequest, notFound } from '../../errors.ts';
import type { BinaryNode } from '../library/nodes.ts';
import { refusalOf, type QueryIds, asked } from '../socket/query.ts';
import type { Socket } from '../socket/socket.ts';
import { mexOutcome, mexQuestion } from '../socket/mex.ts';
import { readChannel } from './read-channel.ts';

export interface ChannelAsking {
  readonly deviceId: number;
  readonly sock: Pick<Socket, 'query'>;
  readonly queryIds: QueryIds;
}

/** An account may follow hundreds of channels, each of one or two kilobytes. */
const maxAnswerBytes = 4 * 1_048_576;

export const notAllowed = (words: string): HandsetError =>
  new HandsetError('Forbidden', words, { reason: 'channel_not_writable' });

export const notAdministrator = (): HandsetError => notAllowed('The account is not an administrator of this channel');

const words: Readonly<Record<number, string>> = {
  400: 'The network does not accept this: it is too long, or in a form that it does not know',
  429: 'The network asks to do this less often',
};

const unknownForm = (): HandsetError =>
  invalidRequest('The network does not know this question: its number may have changed (HANDSET_QUERY_IDS)');

/** An outdated query id gets the code of a missing channel; the real network's wording is unknown. */
const isUnknownQuery = /\b(?:query|document)\b/i;

const refused = (code: number, text: string, isOfOne: boolean): HandsetError => {
  if (isUnknownQuery.test(text)) return unknownForm();
  if (isOfOne && code === 404) return notFound('Channel');
  if (isOfOne && (code === 401 || code === 403)) return notAdministrator();
  return invalidRequest(words[code] ?? `The network refused: ${text === '' ? 'no reason given' : text} (${code})`);
};

/** Returns `member` of the answer. `isOfOne`: the query is about one channel, which may be missing or not the account's. */
export const askChannels = async (
  { deviceId, sock, queryIds }: ChannelAsking,
  query: Extract<keyof QueryIds, `channel${string}`>,
  variables: object,
  member: string,
  isOfOne = true,
): Promise<unknown> => {
  const answer: BinaryNode = await asked(deviceId, {}, () => sock.query(mexQuestion(queryIds[query], variables)));
  const { data, refusal } = mexOutcome(answer, maxAnswerBytes);
  const found = data?.[member] ?? null;
  if (found !== null) return found;
  if (refusal !== null) throw refused(refusal.code, refusal.text, isOfOne);
  if (isOfOne && data !== null) throw notFound('Channel');
  throw unknownForm();
};

export const askOfChannel = (
  { deviceId, sock }: Pick<ChannelAsking, 'deviceId' | 'sock'>,
  stanza: BinaryNode,
): Promise<BinaryNode> =>
  asked(deviceId, words, async () => {
    try {
      return await sock.query(stanza);
    } catch (error) {
      const code = refusalOf(error);
      if (code === 404) throw notFound('Channel');
      if (code === 401 || code === 403)
        throw invalidRequest('The network does not show the posts of this channel to the account');
      throw error;
    }
  });

export const listChannels = async (session: ChannelAsking): Promise<readonly Channel[]> => {
  const variables = { fetch_wamo_sub: false, fetch_status_metadata: false };
  const answer = await askChannels(session, 'channelList', variables, 'xwa2_newsletter_subscribed', false);
  if (!Array.isArray(answer)) throw invalidRequest('The network does not list channels in a form that is known');
  return answer.flatMap((described) => readChannel(described) ?? []);
};
