/** User look-up: devices, LIDs, and whether a number has an account. */
import type { BinaryNode } from 'baileys';
import type { Account, Device } from '../../base/types.ts';
import { textStatusOf } from '../messages/text-status.ts';
import { permits } from '../messages/presence.ts';
import { hidesDevices } from '../accounts/addressing.ts';
import { accountJid, type AddressingMode, modeOf, parseJid } from '../accounts/jid.ts';
import type { HubState } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';
import { childOf, childrenOf, element, errorOf, resultOf, textOf } from '../../base/nodes.ts';
import { participantHash } from '../messages/participants.ts';
import { lookedUp, usernameNode } from '../accounts/usernames.ts';
import type { IqHandler, IqTable } from './table.ts';

/** Mobile numbers in Brazil may lack the 9 after the area code (older accounts). */
const brazil = (digits: string): string[] => {
  if (/^55\d{2}9\d{8}$/.test(digits)) return [digits.slice(0, 4) + digits.slice(5)];
  return /^55\d{10}$/.test(digits) ? [`${digits.slice(0, 4)}9${digits.slice(4)}`] : [];
};

/** Mobile numbers may have a digit after the country code: 1 in Mexico, 9 in Argentina. */
const afterCountry = (digits: string, country: string, extra: string): string[] => {
  if (!digits.startsWith(country)) return [];
  const rest = digits.slice(country.length);
  if (rest.length === 11 && rest.startsWith(extra)) return [country + rest.slice(1)];
  return rest.length === 10 ? [country + extra + rest] : [];
};

/** Spellings of the same number, the given one first. */
const variantsOf = (digits: string): string[] => [
  digits,
  ...brazil(digits),
  ...afterCountry(digits, '52', '1'),
  ...afterCountry(digits, '54', '9'),
];

const devicesOf = (hub: HubState, account: Account, mode: AddressingMode): BinaryNode => {
  const devices = [...account.devices.values()].map((device) =>
    element('device', { id: String(device.id), ...(device.id === 0 ? {} : { 'key-index': String(device.keyIndex) }) }),
  );
  const list = hub.registry.stateOf(account).keyIndexList;
  return element('devices', {}, [
    element('device-list', { hash: participantHash(account.devices.values(), mode) }, devices),
    ...(list === null ? [] : [element('key-index-list', { ts: seconds(hub.clock) }, list)]),
  ]);
};

const noDevices = element('devices', {}, [element('device-list', {}, [])]);

const aboutOf = (hub: HubState, asker: Device, account: Account): BinaryNode => {
  if (!permits(hub, account, asker.account, 'status')) return element('status', { code: '401', t: '0' });
  const { about } = hub.registry.stateOf(account).profile;
  if (about === null) return element('status', { t: '0' });
  return element('status', { t: String(about.at) }, Buffer.from(about.text));
};

const known: ReadonlySet<string> = new Set([
  'devices',
  'lid',
  'contact',
  'status',
  'text_status',
  'picture',
  'disappearing_mode',
  'username',
  'business',
]);

const protocolAnswer = (
  hub: HubState,
  protocol: string,
  asker: Device,
  account: Account,
  byLid: boolean,
): BinaryNode[] => {
  const mode = byLid ? 'lid' : 'pn';
  switch (protocol) {
    case 'devices':
      return [hidesDevices(hub, asker, account, mode) ? noDevices : devicesOf(hub, account, mode)];
    case 'lid':
      // A client that asks by LID knows it, and clients start a new session for every LID they are told.
      return byLid ? [] : [element('lid', { val: account.lid })];
    case 'contact':
      return [element('contact', { type: 'in' })];
    case 'status':
      return [aboutOf(hub, asker, account)];
    case 'text_status':
      return [textStatusOf(hub, asker, account)];
    case 'picture': {
      const { picture } = hub.registry.stateOf(account).profile;
      const seen = picture !== null && permits(hub, account, asker.account, 'profile');
      return seen ? [element('picture', { id: picture.id })] : [];
    }
    case 'disappearing_mode': {
      const { disappearing } = hub.registry.stateOf(account).profile;
      return [element('disappearing_mode', { duration: String(disappearing.seconds), t: String(disappearing.at) })];
    }
    case 'username':
      return [usernameNode(account)];
    case 'business':
      return [element('business')];
    default:
      return [];
  }
};

const accountOfNumber = (hub: HubState, number: string): Account | null => {
  for (const variant of variantsOf(number.replaceAll(/\D/g, ''))) {
    const account = hub.registry.find(variant);
    if (account !== null) return account;
  }
  return null;
};

const answerUser = (hub: HubState, asker: Device, user: BinaryNode, protocols: readonly string[]): BinaryNode => {
  const { jid } = user.attrs;
  const contact = childOf(user, 'contact');
  if (jid === undefined && contact?.attrs.username !== undefined) return lookedUp(hub, contact.attrs);
  const number = jid === undefined ? (textOf(contact) ?? '') : (parseJid(jid)?.user ?? '');
  const byLid = parseJid(jid)?.server === 'lid';
  const account = jid === undefined ? accountOfNumber(hub, number) : hub.registry.find(jid);
  if (account === null) {
    const absent = protocols.flatMap((protocol) =>
      protocol === 'contact'
        ? [element('contact', { type: 'out' }, contact?.content)]
        : protocol === 'devices'
          ? [noDevices]
          : [],
    );
    return element('user', { jid: jid ?? `${number.replaceAll(/\D/g, '')}@s.whatsapp.net` }, absent);
  }
  if (protocols.includes('devices')) hub.registry.stateOf(account).watchers.add(asker.account);
  const attrs = {
    jid: accountJid(account, modeOf(byLid ? 'lid' : '')),
    ...(byLid && !account.hidesNumber && { pn_jid: account.jid }),
  };
  const content = protocols.flatMap((protocol) => {
    const answer = protocolAnswer(hub, protocol, asker, account, byLid);
    return protocol === 'contact' && contact?.content !== undefined
      ? [element('contact', { type: 'in' }, contact.content)]
      : answer;
  });
  return element('user', attrs, content);
};

const usync: IqHandler = (hub, device, iq) => {
  const query = childOf(iq, 'usync');
  if (query === undefined) return errorOf(iq, 400, 'bad-request');
  const protocols = childrenOf(childOf(query, 'query')).map((protocol) => protocol.tag);
  const users = childrenOf(childOf(query, 'list')).map((user) => answerUser(hub, device, user, protocols));
  const refused = [element('error', { code: '501', text: 'feature-not-implemented' })];
  const result = protocols.map((protocol) => element(protocol, {}, known.has(protocol) ? undefined : refused));
  return resultOf(iq, [
    element('usync', { ...query.attrs }, [element('result', {}, result), element('list', {}, users)]),
  ]);
};

export const usyncIqs: IqTable = { 'usync get': usync };
