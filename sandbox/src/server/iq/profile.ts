/** Requests about people and the account itself: privacy, block list, pictures, status. */
import { accountJid } from '../accounts/jid.ts';
import { childOf, childrenOf, element, errorOf, resultOf } from '../../nodes.ts';
import { giveToken } from '../messages/privacy-tokens.ts';
import type { IqHandler, IqTable } from './table.ts';

const PRIVACY = ['readreceipts', 'last', 'online', 'profile', 'status', 'groupadd', 'calladd', 'messages'];

const getPrivacy: IqHandler = (_hub, _device, iq) => {
  const categories = PRIVACY.map((name) => element('category', { name, value: 'all' }));
  return resultOf(iq, [element('privacy', {}, categories)]);
};

const setPrivacy: IqHandler = (_hub, _device, iq) => {
  const changed = childrenOf(childOf(iq, 'privacy'));
  return resultOf(iq, [element('privacy', {}, [...changed])]);
};

const issueTokens: IqHandler = (hub, device, iq) => {
  for (const { tag, attrs } of childrenOf(childOf(iq, 'tokens'))) {
    const to = tag === 'token' && attrs.type === 'trusted_contact' ? hub.registry.find(attrs.jid) : null;
    if (to !== null && to !== device.account) giveToken(hub, device.account, to, Number(attrs.t));
  }
  return resultOf(iq, [element('tokens', {}, [])]);
};

const getBlocklist: IqHandler = (hub, device, iq) => {
  const items = [...hub.registry.stateOf(device.account).blocked].map((account) =>
    element('item', { jid: accountJid(account, 'lid'), pn_jid: account.jid }),
  );
  return resultOf(iq, [element('list', { dhash: String(items.length) }, items)]);
};

const setBlocklist: IqHandler = (hub, device, iq) => {
  const { blocked } = hub.registry.stateOf(device.account);
  for (const item of childrenOf(iq)) {
    const account = hub.registry.find(item.attrs.jid);
    if (account === null) return errorOf(iq, 404, 'item-not-found');
    if (item.attrs.action === 'block') blocked.add(account);
    else blocked.delete(account);
  }
  return getBlocklist(hub, device, iq);
};

const noPicture: IqHandler = (_hub, _device, iq) => errorOf(iq, 404, 'item-not-found');

const setPicture: IqHandler = (hub, _device, iq) => {
  const given = childOf(iq, 'picture') !== undefined;
  return resultOf(iq, given ? [element('picture', { id: String(hub.clock.now()) })] : undefined);
};

const done: IqHandler = (_hub, _device, iq) => resultOf(iq);

const businessProfile: IqHandler = (_hub, _device, iq) => resultOf(iq, [element('business_profile', { v: '244' }, [])]);

const bots: IqHandler = (_hub, _device, iq) => resultOf(iq, [element('bot', { v: '2' }, [])]);

export const profileIqs: IqTable = {
  'privacy get': getPrivacy,
  'privacy set privacy': setPrivacy,
  'privacy set tokens': issueTokens,
  'blocklist get': getBlocklist,
  'blocklist set': setBlocklist,
  'w:profile:picture get': noPicture,
  'w:profile:picture set': setPicture,
  'status set': done,
  'disappearing_mode set': done,
  'disappearing_mode get': (_hub, _device, iq) =>
    resultOf(iq, [element('disappearing_mode', { duration: '0', t: '0' })]),
  'w:biz get': businessProfile,
  'bot get': bots,
};
