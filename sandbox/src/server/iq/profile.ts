/** Requests about an account: privacy, block list, text, disappearing messages, tokens; and about businesses and bots. */
import { PRIVACY_VALUES } from '../accounts/profile.ts';
import { seconds } from '../../base/clock.ts';
import { blockListNode, setBlocked } from '../messages/block-list.ts';
import { childOf, childrenOf, element, errorOf, resultOf, textOf } from '../../base/nodes.ts';
import { giveToken } from '../messages/privacy-tokens.ts';
import { tellOwnDevices, tellPeople } from '../messages/notifications.ts';
import { pushNameOf } from '../messages/presence.ts';
import type { IqHandler, IqTable } from './table.ts';

const getPrivacy: IqHandler = (hub, { account }, iq) => {
  const { privacy } = hub.registry.stateOf(account).profile;
  const categories = [...privacy].map(([name, value]) => element('category', { name, value }));
  return resultOf(iq, [element('privacy', {}, categories)]);
};

const setPrivacy: IqHandler = (hub, device, iq) => {
  const { privacy } = hub.registry.stateOf(device.account).profile;
  const changed = childrenOf(childOf(iq, 'privacy'));
  for (const { attrs, content } of changed) {
    const values = PRIVACY_VALUES[attrs.name ?? ''];
    if (values === undefined || content !== undefined) return errorOf(iq, 501, 'feature-not-implemented');
    if (!values.includes(attrs.value ?? '')) return errorOf(iq, 400, 'bad-request');
  }
  for (const { attrs } of changed) privacy.set(attrs.name ?? '', attrs.value ?? '');
  tellOwnDevices(hub, device.account, device, element('privacy', {}, [...changed]));
  return resultOf(iq, [element('privacy', {}, [...changed])]);
};

const issueTokens: IqHandler = (hub, device, iq) => {
  for (const { tag, attrs } of childrenOf(childOf(iq, 'tokens'))) {
    const to = tag === 'token' && attrs.type === 'trusted_contact' ? hub.registry.find(attrs.jid) : null;
    if (to !== null && to !== device.account) giveToken(hub, device.account, to, Number(attrs.t));
  }
  return resultOf(iq, [element('tokens', {}, [])]);
};

const getBlocklist: IqHandler = (hub, { account }, iq) => resultOf(iq, [blockListNode(hub, account)]);

/** Blocking by LID requires one of these (zapo `privacy.ts`, after WhatsApp Web, 2026-08). */
const besideLid = ['pn_jid', 'username', 'display_name', 'unknown_identifier'] as const;

const isNamed = (attrs: Readonly<Record<string, string>>): boolean =>
  !attrs['jid']?.endsWith('@lid') || besideLid.some((name) => attrs[name] !== undefined);

const setBlocklist: IqHandler = (hub, device, iq) => {
  const items = childrenOf(iq).map(({ attrs }) => ({ action: attrs.action, other: hub.registry.find(attrs.jid) }));
  if (items.some(({ action }) => action !== 'block' && action !== 'unblock')) return errorOf(iq, 400, 'bad-request');
  if (items.some(({ other }) => other === null)) return errorOf(iq, 404, 'item-not-found');
  if (childrenOf(iq).some(({ attrs }) => attrs.action === 'block' && !isNamed(attrs)))
    return errorOf(iq, 400, 'bad-request');
  for (const { other, action } of items) {
    if (other !== null) setBlocked(hub, device.account, other, action === 'block', device);
  }
  return getBlocklist(hub, device, iq);
};

const setAbout: IqHandler = (hub, device, iq) => {
  const text = textOf(childOf(iq, 'status')) ?? '';
  const { account } = device;
  const { profile } = hub.registry.stateOf(account);
  profile.about = { text, at: Number(seconds(hub.clock)) };
  const name = pushNameOf(hub, device);
  tellPeople(hub, account, 'status', 'status', () => element('set', {}, Buffer.from(text)), {
    ...(name !== null && { notify: name }),
  });
  return resultOf(iq);
};

/** 404 for an account without a list: its contacts see its statuses (whatsmeow broadcast.go, 2026-08-21). */
const getStatusPrivacy: IqHandler = (hub, { account }, iq) => {
  const { statusPrivacy } = hub.registry.stateOf(account).profile;
  if (statusPrivacy === null) return errorOf(iq, 404, 'item-not-found');
  const users = statusPrivacy.people.map((jid) => element('user', { jid }));
  return resultOf(iq, [
    element('privacy', {}, [element('list', { type: statusPrivacy.type, default: 'true' }, users)]),
  ]);
};

const disappearingNode = (hub: Parameters<IqHandler>[0], { account }: Parameters<IqHandler>[1]) => {
  const { disappearing } = hub.registry.stateOf(account).profile;
  return element('disappearing_mode', { duration: String(disappearing.seconds), t: String(disappearing.at) });
};

const setDisappearing: IqHandler = (hub, device, iq) => {
  const duration = Number(childOf(iq, 'disappearing_mode')?.attrs.duration);
  if (!Number.isSafeInteger(duration) || duration < 0) return errorOf(iq, 400, 'bad-request');
  const { profile } = hub.registry.stateOf(device.account);
  profile.disappearing = { seconds: duration, at: Number(seconds(hub.clock)) };
  const node = disappearingNode(hub, device);
  tellOwnDevices(hub, device.account, device, node);
  tellPeople(hub, device.account, null, 'disappearing_mode', () => node);
  return resultOf(iq);
};

const businessProfile: IqHandler = (hub, _device, iq) => {
  const profiles = childrenOf(childOf(iq, 'business_profile')).flatMap(({ attrs }) => {
    const account = hub.registry.find(attrs.jid);
    return account?.business === true ? [element('profile', { jid: attrs.jid ?? '' })] : [];
  });
  return resultOf(iq, [element('business_profile', { v: '244' }, profiles)]);
};

const bots: IqHandler = (_hub, _device, iq) => resultOf(iq, [element('bot', { v: '2' }, [])]);

export const profileIqs: IqTable = {
  'privacy get privacy': getPrivacy,
  'privacy set privacy': setPrivacy,
  'privacy set tokens': issueTokens,
  'blocklist get': getBlocklist,
  'blocklist set item': setBlocklist,
  'status set status': setAbout,
  'status get privacy': getStatusPrivacy,
  'disappearing_mode set disappearing_mode': setDisappearing,
  'disappearing_mode get': (hub, device, iq) => resultOf(iq, [disappearingNode(hub, device)]),
  'w:biz get business_profile': businessProfile,
  'bot get bot': bots,
};
