/** A phone's requests to the server: device lists, prekey bundles, group members. */
import { type BinaryNode, encodeBigEndian, getBinaryNodeChildBuffer, getBinaryNodeChildUInt } from 'baileys';
import type { Client, Device, Hub, PublishedKeys } from '../../base/types.ts';
import type { PreKeyBundleInput } from 'whatsapp-rust-bridge';
import { childOf, childrenOf, element, SERVER } from '../../base/nodes.ts';
import { typedKey } from '../signal/signal-state.ts';

class Refused extends Error {}

export class Line implements Client {
  readonly #hub: Hub;
  readonly #device: Device;
  readonly #onNode: (node: BinaryNode) => void;
  readonly #questions = new Map<string, PromiseWithResolvers<BinaryNode>>();
  #lastId = 0;
  #open = false;
  #connections = 0;

  constructor(hub: Hub, device: Device, onNode: (node: BinaryNode) => void) {
    this.#hub = hub;
    this.#device = device;
    this.#onNode = onNode;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** The number of the present connection; null while there is none. */
  get connection(): number | null {
    return this.#open ? this.#connections : null;
  }

  connect(): void {
    if (this.#open) return;
    this.#open = true;
    this.#connections += 1;
    this.#hub.attach(this.#device, this);
  }

  disconnect(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#hub.detach(this.#device, this);
    this.#abandon('the phone went offline');
  }

  send(node: BinaryNode): void {
    if (node.tag !== 'iq' || (node.attrs['type'] !== 'result' && node.attrs['type'] !== 'error'))
      return this.#onNode(node);
    const question = this.#questions.get(node.attrs['id'] ?? '');
    if (question === undefined) return;
    this.#questions.delete(node.attrs['id']!);
    if (node.attrs['type'] === 'result') question.resolve(node);
    else question.reject(new Refused(`the server refused the request: ${JSON.stringify(node.content)}`));
  }

  close(): void {
    this.#open = false;
    this.#abandon('the server ended the connection');
  }

  tell(node: BinaryNode): void {
    this.#hub.receive(this.#device, node);
  }

  ask(node: BinaryNode): Promise<BinaryNode> {
    if (!this.#open) return Promise.reject(new Error('the phone is offline'));
    const id = `phone-${++this.#lastId}`;
    const question = Promise.withResolvers<BinaryNode>();
    this.#questions.set(id, question);
    this.tell({ ...node, attrs: { ...node.attrs, id } });
    return question.promise;
  }

  #abandon(reason: string): void {
    for (const { reject } of this.#questions.values()) reject(new Error(reason));
    this.#questions.clear();
  }
}

const iq = (to: string, type: 'get' | 'set', xmlns: string, content: BinaryNode[]): BinaryNode =>
  element('iq', { to, type, xmlns }, content);

const usersOf = (jids: readonly string[]): BinaryNode[] => jids.map((jid) => element('user', { jid }));

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

/** From a `<user>` of a prekey answer or the `<keys>` of a retry receipt; null if incomplete. */
export const readBundle = (keys: BinaryNode | undefined, registration: BinaryNode): PreKeyBundleInput | null => {
  const identity = getBinaryNodeChildBuffer(keys, 'identity');
  const skey = childOf(keys, 'skey');
  const signedPreKey = skey && signedKey(skey);
  const registrationId = getBinaryNodeChildUInt(registration, 'registration', 4);
  if (!identity || !signedPreKey || registrationId === undefined) return null;
  const preKey = oneTimeKey(childOf(keys, 'key'));
  return { registrationId, identityKey: typedKey(identity), signedPreKey, ...(preKey && { preKey }) };
};

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

export const askToGiveToken = async (line: Line, jid: string): Promise<void> => {
  const token = element('token', { jid, t: String(Math.floor(Date.now() / 1000)), type: 'trusted_contact' });
  await line.ask(iq(SERVER, 'set', 'privacy', [element('tokens', {}, [token])]));
};

export const askForTimer = async (line: Line, group: string, seconds: number): Promise<void> => {
  const wanted = seconds === 0 ? element('not_ephemeral') : element('ephemeral', { expiration: String(seconds) });
  await line.ask(iq(group, 'set', 'w:g2', [wanted]));
};
