/**
 * Ids of the GraphQL queries (`w:mex`). The network replaces them from time to time: `HANDSET_QUERY_IDS` names a file with newer ones, so that this
 * needs no release. Sources: zapo (2026-08-19) and whatsapp-rust (2026-08-21), which agree. Whether older ids
 * stay valid is unknown.
 */
import { messageOf } from '../../errors.ts';

export const bundledQueryIds = {
  channelList: '25399611239711790',
  channelRead: '27456920720571478',
  channelFollow: '24404358912487870',
  channelUnfollow: '9767147403369991',
  channelCreate: '25149874324715067',
  channelUpdate: '24250201037901610',
  channelDelete: '30062808666639665',
  channelMute: '31938993655691868',
  timeLock: '23983697327930364',
  textStatus: '9152604461510864',
  ownUsername: '25347099718279209',
  usernameCheck: '26122779627399568',
  usernameSet: '25757341163897635',
  usernameKeySet: '9749436995157074',
  newChatCap: '24503548349331633',
} as const satisfies Readonly<Record<string, string>>;

export type QueryIds = Readonly<Record<keyof typeof bundledQueryIds, string>>;

const maxCharacters = 65_536;
const number = /^\d{1,20}$/;

const isName = (name: string): name is keyof QueryIds => Object.hasOwn(bundledQueryIds, name);

/** The bundled ids, overridden by those in a JSON object. Throws if it is none. */
export const queryIdsWith = (text: string): QueryIds => {
  if (text.length > maxCharacters) throw new Error(`it has more than ${maxCharacters} characters`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON: ${messageOf(error)}`, { cause: error });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error('it is no JSON object');
  const ids: Record<keyof QueryIds, string> = { ...bundledQueryIds };
  for (const [name, id] of Object.entries(parsed)) {
    if (!isName(name))
      throw new Error(`${name.slice(0, 40)} is no query; known: ${Object.keys(bundledQueryIds).join(', ')}`);
    if (typeof id !== 'string' || !number.test(id)) throw new Error(`${name} must be a string of 1 to 20 digits`);
    ids[name] = id;
  }
  return ids;
};
