/** The questions that a phone asks the server: device lists, prekey bundles, group members. */
import { type BinaryNode, encodeBigEndian, getBinaryNodeChildBuffer, getBinaryNodeChildUInt } from 'baileys';
import type { PreKeyBundleInput } from 'whatsapp-rust-bridge';
import { childOf, childrenOf, element, SERVER } from '../../base/nodes.ts';
import type { PublishedKeys } from '../../base/types.ts';
import type { Line } from './server-line.ts';
import { typedKey } from '../signal/signal-state.ts';

const iq = (to: string, type: 'get' | 'set', xmlns: string, content: BinaryNode[]): BinaryNode =>
  element('iq', { to, type, xmlns }, content);

const usersOf = (jids: readonly string[]): BinaryNode[] => jids.map((jid) => element('user', { jid }));

/** Device numbers of each account, by the JID asked for. */
export const askDevices = async (
  line: Line,
  jids: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const query = element('query', {}, [element('devices', { version: '2' }), element('lid')]);
  const list = element('list', {}, usersOf(jids));
  const about = { context: 'message', mode: 'query', sid: '1', last: 'true', index: '0' };
  const answer = await line.ask(iq(SERVER, 'get', 'usync', [element('usync', about, [query, list])]));
  return new Map(
    childrenOf(childOf(childOf(answer, 'usync'), 'list')).map((user) => {
      const devices = childrenOf(childOf(childOf(user, 'devices'), 'device-list'));
      return [user.attrs['jid']!, devices.map(({ attrs }) => Number(attrs['id']))];
    }),
  );
};

const signedKey = (node: BinaryNode): PreKeyBundleInput['signedPreKey'] | null => {
  const publicKey = getBinaryNodeChildBuffer(node, 'value');
  const signature = getBinaryNodeChildBuffer(node, 'signature');
  const keyId = getBinaryNodeChildUInt(node, 'id', 3);
  if (!publicKey || !signature || keyId === undefined) return null;
  return { keyId, publicKey: typedKey(publicKey), signature };
};

const oneTimeKey = (node: BinaryNode | undefined): PreKeyBundleInput['preKey'] => {
  const publicKey = node && getBinaryNodeChildBuffer(node, 'value');
  const keyId = node && getBinaryNodeChildUInt(node, 'id', 3);
  return publicKey && keyId !== undefined ? { keyId, publicKey: typedKey(publicKey) } : undefined;
};

/** The bundle in a `<user>` of a prekey answer or in the `<keys>` of a retry receipt; null when it is not whole. */
export const readBundle = (keys: BinaryNode | undefined, registration: BinaryNode): PreKeyBundleInput | null => {
  const identity = getBinaryNodeChildBuffer(keys, 'identity');
  const skey = childOf(keys, 'skey');
  const signedPreKey = skey && signedKey(skey);
  const registrationId = getBinaryNodeChildUInt(registration, 'registration', 4);
  if (!identity || !signedPreKey || registrationId === undefined) return null;
  const preKey = oneTimeKey(childOf(keys, 'key'));
  return { registrationId, identityKey: typedKey(identity), signedPreKey, ...(preKey && { preKey }) };
};

/** Prekey bundles by device JID; devices that have none are left out. */
export const askBundles = async (
  line: Line,
  jids: readonly string[],
): Promise<ReadonlyMap<string, PreKeyBundleInput>> => {
  const answer = await line.ask(iq(SERVER, 'get', 'encrypt', [element('key', {}, usersOf(jids))]));
  const bundles = new Map<string, PreKeyBundleInput>();
  for (const user of childrenOf(childOf(answer, 'list'))) {
    const bundle = readBundle(user, user);
    if (bundle !== null) bundles.set(user.attrs['jid']!, bundle);
  }
  return bundles;
};

const askForGroup = async (line: Line, group: string): Promise<BinaryNode | undefined> =>
  childOf(await line.ask(iq(group, 'get', 'w:g2', [element('query', { request: 'interactive' })])), 'group');

const askParticipants = async (line: Line, group: string): Promise<readonly BinaryNode['attrs'][]> =>
  childrenOf(await askForGroup(line, group)).flatMap(({ tag, attrs }) => (tag === 'participant' ? [attrs] : []));

/** JIDs of a group's members. */
export const askMembers = async (line: Line, group: string): Promise<readonly string[]> =>
  (await askParticipants(line, group)).map(({ jid }) => jid!);

export const isAnnouncementGroup = async (line: Line, group: string): Promise<boolean> =>
  childOf(await askForGroup(line, group), 'default_sub_group') !== undefined;

export const askAdministrators = async (line: Line, group: string): Promise<readonly string[]> =>
  (await askParticipants(line, group)).filter(({ type }) => type !== undefined).map(({ jid }) => jid!);

export const idNode = (value: number): BinaryNode => element('id', {}, encodeBigEndian(value, 3));
export const valueNode = (content: Uint8Array): BinaryNode => element('value', {}, content);

export const signedPreKeyNode = ({ id, publicKey, signature }: PublishedKeys['signedPreKey']): BinaryNode =>
  element('skey', {}, [idNode(id), valueNode(publicKey), element('signature', {}, signature)]);

/** Publishes keys through the server, which tells others when the identity is a new one. */
export const askToPublish = async (line: Line, keys: PublishedKeys): Promise<void> => {
  const preKeys = [...keys.preKeys].map(([id, key]) => element('key', {}, [idNode(id), valueNode(key)]));
  await line.ask(
    iq(SERVER, 'set', 'encrypt', [
      element('registration', {}, encodeBigEndian(keys.registrationId)),
      element('type', {}, Buffer.from([5])),
      element('identity', {}, keys.identity),
      element('list', {}, preKeys),
      signedPreKeyNode(keys.signedPreKey),
    ]),
  );
};

/** Gives the account a privacy token of this one's. */
export const askToGiveToken = async (line: Line, jid: string): Promise<void> => {
  const token = element('token', { jid, t: String(Math.floor(Date.now() / 1000)), type: 'trusted_contact' });
  await line.ask(iq(SERVER, 'set', 'privacy', [element('tokens', {}, [token])]));
};

/** Sets the timer of a group; 0 takes it away. */
export const askForTimer = async (line: Line, group: string, seconds: number): Promise<void> => {
  const wanted = seconds === 0 ? element('not_ephemeral') : element('ephemeral', { expiration: String(seconds) });
  await line.ask(iq(group, 'set', 'w:g2', [wanted]));
};
