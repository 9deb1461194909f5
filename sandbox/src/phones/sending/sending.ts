/** Sends a message to every device of a chat: device lists, sessions, one ciphertext each. */
import type { BinaryNode } from 'baileys';
import { element } from '../../base/nodes.ts';
import { type Addressee, addressee, isGroup, resolve } from '../context/address.ts';
import { type Message, type PhoneContext, serialized, type Withheld } from '../context/context.ts';
import { encryptForGroup } from './groups.ts';
import { stanzaType } from './stanza-type.ts';
import { copyForOwn, encAttributes, padded, paddedMessage, stanzaTypeOf } from './plaintext.ts';
import { askBundles, askDevices, askMembers } from '../context/requests.ts';
import { notFound } from '../../base/errors.ts';

export interface Route {
  readonly to: string;
  readonly others: readonly Addressee[];
  readonly own: readonly Addressee[];
}

export interface StanzaOverrides {
  readonly type?: string | null;
  readonly mediatype?: string | null;
}

export interface Outgoing {
  readonly id: string;
  readonly message: Message | Uint8Array;
  readonly edit: string | null;
  readonly withheld?: Withheld | null;
  /** Overrides of the stanza's attributes. */
  readonly stanza?: StanzaOverrides;
}

export const ensureSessions = async (
  phone: PhoneContext,
  devices: readonly Addressee[],
): Promise<readonly Addressee[]> => {
  const missing = devices.filter(({ address }) => !phone.keys.peer.hasSession(address));
  if (missing.length > 0) {
    const bundles = await askBundles(
      phone.line,
      missing.map(({ jid }) => jid),
    );
    for (const { jid, address } of missing) {
      const bundle = bundles.get(jid);
      if (bundle !== undefined) await phone.keys.peer.open(address, bundle);
    }
  }
  return devices.filter(({ address }) => phone.keys.peer.hasSession(address));
};

const accountsOf = async (phone: PhoneContext, to: string): Promise<readonly string[]> => {
  if (isGroup(to)) return askMembers(phone.line, to);
  const found = resolve(phone.hub, to);
  if (found === null) throw notFound(`there is no account ${to}`);
  return [found.account.lid];
};

export const routeTo = async (phone: PhoneContext, to: string): Promise<Route> => {
  const { hub, account, line } = phone;
  const lids = (await accountsOf(phone, to)).map((jid) => hub.findAccount(jid)?.lid ?? jid);
  const lists = await askDevices(line, [...new Set([...lids, account.lid])]);
  const devices = [...lists].flatMap(([jid, numbers]) => {
    const found = hub.findAccount(jid);
    return found === null ? [] : numbers.map((number) => addressee(found, number));
  });
  const reachable = await ensureSessions(
    phone,
    devices.filter((device) => device.account !== account || device.device !== 0),
  );
  return {
    to: hub.wireJid(account, to),
    others: reachable.filter((device) => device.account !== account),
    own: reachable.filter((device) => device.account === account),
  };
};

const encryptFor = async (
  phone: PhoneContext,
  devices: readonly Addressee[],
  bytes: Uint8Array,
  encAttrs: Readonly<Record<string, string>>,
): Promise<readonly BinaryNode[]> => {
  const nodes: BinaryNode[] = [];
  for (const { address, jid } of devices) {
    const { type, body } = await phone.keys.peer.encrypt(address, padded(bytes));
    const enc = element('enc', { v: '2', type, ...encAttrs }, body);
    nodes.push(element('to', { jid }, [enc]));
  }
  return nodes;
};

export const post = async (
  phone: PhoneContext,
  route: Route,
  { id, message, edit, withheld = null, stanza = {} }: Outgoing,
): Promise<void> => {
  const bytes = message instanceof Uint8Array ? message : serialized(message);
  const usual = message instanceof Uint8Array ? stanzaTypeOf(bytes) : stanzaType(message);
  const type = stanza.type ?? usual.type;
  const encAttrs = encAttributes({ ...usual, mediatype: stanza.mediatype ?? usual.mediatype });
  phone.sent.set(id, { to: route.to, bytes, type, edit, peer: false, withheld });
  const content: BinaryNode[] = [];
  if (isGroup(route.to)) {
    content.push(...(await encryptForGroup(phone, route.to, [...route.others, ...route.own], bytes, encAttrs)));
  } else {
    const nodes = [
      ...(await encryptFor(phone, route.others, bytes, encAttrs)),
      ...(await encryptFor(phone, route.own, copyForOwn(route.to, bytes), encAttrs)),
    ];
    if (nodes.length > 0) content.push(element('participants', {}, nodes));
  }
  if (usual.meta !== null) content.push(element('meta', usual.meta));
  const attrs = { id, to: route.to, type, ...(edit !== null && { edit }), ...(withheld && { withheld }) };
  phone.counters.sent += 1;
  phone.changed();
  phone.line.tell({ tag: 'message', attrs, content });
};

export const postToOwn = async (
  phone: PhoneContext,
  device: Addressee,
  id: string,
  message: Message,
): Promise<void> => {
  const [reachable] = await ensureSessions(phone, [device]);
  if (reachable === undefined) throw notFound(`${device.jid} has published no keys`);
  const { type, body } = await phone.keys.peer.encrypt(device.address, paddedMessage(message));
  phone.sent.set(id, {
    to: device.jid,
    bytes: serialized(message),
    type: 'text',
    edit: null,
    peer: true,
    withheld: null,
  });
  phone.changed();
  phone.line.tell({
    tag: 'message',
    attrs: {
      id,
      to: phone.hub.wireJid(phone.account, device.jid),
      type: 'text',
      category: 'peer',
      push_priority: 'high_force',
    },
    content: [element('enc', { v: '2', type }, body)],
  });
};
