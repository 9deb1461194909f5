/** The questions that a phone asks the server: device lists, prekey bundles, group members. */
import {
  encodeBigEndian,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
  getBinaryNodeChildUInt,
} from 'baileys';
import type { BinaryNode } from 'baileys';
import type { PreKeyBundleInput } from 'whatsapp-rust-bridge';
import type { PublishedKeys } from '../types.ts';
import { stanzaId } from './sending/ids.ts';
import type { Line } from './server-line.ts';
import { typedKey } from './signal/signal-state.ts';

const server = 's.whatsapp.net';

/** Device numbers of each account, by the JID asked for. */
export const askDevices = async (
  line: Line,
  jids: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const answer = await line.ask({
    tag: 'iq',
    attrs: { to: `@${server}`, type: 'get', xmlns: 'usync' },
    content: [
      {
        tag: 'usync',
        attrs: { context: 'message', mode: 'query', sid: '1', last: 'true', index: '0' },
        content: [
          {
            tag: 'query',
            attrs: {},
            content: [
              { tag: 'devices', attrs: { version: '2' } },
              { tag: 'lid', attrs: {} },
            ],
          },
          { tag: 'list', attrs: {}, content: jids.map((jid) => ({ tag: 'user', attrs: { jid } })) },
        ],
      },
    ],
  });
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list');
  return new Map(
    getBinaryNodeChildren(list, 'user').map((user) => {
      const devices = getBinaryNodeChild(getBinaryNodeChild(user, 'devices'), 'device-list');
      return [user.attrs['jid']!, getBinaryNodeChildren(devices, 'device').map((device) => Number(device.attrs['id']))];
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
  const skey = getBinaryNodeChild(keys, 'skey');
  const signedPreKey = skey && signedKey(skey);
  const registrationId = getBinaryNodeChildUInt(registration, 'registration', 4);
  if (!identity || !signedPreKey || registrationId === undefined) return null;
  const preKey = oneTimeKey(getBinaryNodeChild(keys, 'key'));
  return { registrationId, identityKey: typedKey(identity), signedPreKey, ...(preKey && { preKey }) };
};

/** Prekey bundles by device JID; devices that have none are left out. */
export const askBundles = async (
  line: Line,
  jids: readonly string[],
): Promise<ReadonlyMap<string, PreKeyBundleInput>> => {
  const answer = await line.ask({
    tag: 'iq',
    attrs: { to: `@${server}`, type: 'get', xmlns: 'encrypt' },
    content: [{ tag: 'key', attrs: {}, content: jids.map((jid) => ({ tag: 'user', attrs: { jid } })) }],
  });
  const bundles = new Map<string, PreKeyBundleInput>();
  for (const user of getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user')) {
    const bundle = readBundle(user, user);
    if (bundle !== null) bundles.set(user.attrs['jid']!, bundle);
  }
  return bundles;
};

/** JIDs of a group's members. */
export const askMembers = async (line: Line, group: string): Promise<readonly string[]> => {
  const answer = await line.ask({
    tag: 'iq',
    attrs: { to: group, type: 'get', xmlns: 'w:g2' },
    content: [{ tag: 'query', attrs: { request: 'interactive' } }],
  });
  return getBinaryNodeChildren(getBinaryNodeChild(answer, 'group'), 'participant').map(
    (member) => member.attrs['jid']!,
  );
};

export const idNode = (value: number): BinaryNode => ({ tag: 'id', attrs: {}, content: encodeBigEndian(value, 3) });
export const valueNode = (content: Uint8Array): BinaryNode => ({ tag: 'value', attrs: {}, content });

export const signedPreKeyNode = ({ id, publicKey, signature }: PublishedKeys['signedPreKey']): BinaryNode => ({
  tag: 'skey',
  attrs: {},
  content: [idNode(id), valueNode(publicKey), { tag: 'signature', attrs: {}, content: signature }],
});

/** Publishes keys through the server, which tells others when the identity is a new one. */
export const askToPublish = async (line: Line, keys: PublishedKeys): Promise<void> => {
  const preKeys = [...keys.preKeys].map(([id, key]) => ({
    tag: 'key',
    attrs: {},
    content: [idNode(id), valueNode(key)],
  }));
  await line.ask({
    tag: 'iq',
    attrs: { to: `@${server}`, type: 'set', xmlns: 'encrypt' },
    content: [
      { tag: 'registration', attrs: {}, content: encodeBigEndian(keys.registrationId) },
      { tag: 'type', attrs: {}, content: Buffer.from([5]) },
      { tag: 'identity', attrs: {}, content: keys.identity },
      { tag: 'list', attrs: {}, content: preKeys },
      signedPreKeyNode(keys.signedPreKey),
    ],
  });
};

/** Gives the account a privacy token of this one's. */
export const askToGiveToken = async (line: Line, jid: string): Promise<void> => {
  const attrs = { jid, t: String(Math.floor(Date.now() / 1000)), type: 'trusted_contact' };
  await line.ask({
    tag: 'iq',
    attrs: { to: `@${server}`, type: 'set', xmlns: 'privacy' },
    content: [{ tag: 'tokens', attrs: {}, content: [{ tag: 'token', attrs }] }],
  });
};

/** Makes a group; its JID. */
export const askForGroup = async (
  line: Line,
  subject: string,
  members: readonly string[],
  mode: 'pn' | 'lid',
): Promise<string> => {
  const participants = members.map((jid) => ({ tag: 'participant', attrs: { jid } }));
  const answer = await line.ask({
    tag: 'iq',
    attrs: { to: '@g.us', type: 'set', xmlns: 'w:g2' },
    content: [{ tag: 'create', attrs: { subject, key: stanzaId(), addressing_mode: mode }, content: participants }],
  });
  const id = getBinaryNodeChild(answer, 'group')?.attrs['id'];
  if (id === undefined) throw new Error('the server made no group');
  return id.includes('@') ? id : `${id}@g.us`;
};
