/** Pictures of accounts and groups. */
import type { BinaryNode } from 'baileys';
import type { Device, Picture } from '../../base/types.ts';
import type { Group } from '../groups/group.ts';
import { permits } from '../messages/presence.ts';
import { bytesOf, childOf, childrenOf, element, errorOf, resultOf } from '../../base/nodes.ts';
import { tellGroupPicture, tellPicture } from '../messages/notifications.ts';
import { mayEdit } from './groups/rights.ts';
import type { HubState } from '../state/state.ts';
import { answerLater, type IqHandler, type IqTable } from './table.ts';

interface Subject {
  picture: Picture | null;
}

const groupOf = (hub: HubState, device: Device, target: string): Group | 403 | 404 => {
  const group = hub.groups.get(target);
  if (group === undefined) return 404;
  return group.members.has(device.account) ? group : 403;
};

/** 401 for an account that hides its picture (whatsmeow user.go ErrProfilePictureUnauthorized, 2026-08). */
const shownTo = (hub: HubState, device: Device, target: string): Subject | 401 | 403 | 404 => {
  if (target.endsWith('@g.us')) return groupOf(hub, device, target);
  const account = hub.registry.find(target);
  if (account === null) return 404;
  return permits(hub, account, device.account, 'profile') ? hub.registry.stateOf(account).profile : 401;
};

const texts = { 401: 'not-authorized', 403: 'forbidden', 404: 'item-not-found' } as const;

const get: IqHandler = (hub, device, iq) => {
  const asked = childOf(iq, 'picture');
  const subject = shownTo(hub, device, iq.attrs.target ?? device.account.jid);
  if (typeof subject === 'number') return errorOf(iq, subject, texts[subject]);
  const { picture } = subject;
  if (picture === null) return errorOf(iq, 404, texts[404]);
  if (asked?.attrs.query !== 'url') return errorOf(iq, 501, 'feature-not-implemented');
  if (asked.attrs.id === picture.id) return resultOf(iq, [element('picture', { id: picture.id, status: '304' })]);
  const type = asked.attrs.type === 'preview' ? 'preview' : 'image';
  const path = picture[type];
  const attrs = { id: picture.id, type, url: `https://${hub.mediaHost()}${path}`, direct_path: path };
  return resultOf(iq, [element('picture', attrs)]);
};

const owned = (hub: HubState, device: Device, target: string | undefined): Group | null | 403 | 404 => {
  if (target === undefined || hub.registry.find(target) === device.account) return null;
  if (!target.endsWith('@g.us')) return 403;
  const group = groupOf(hub, device, target);
  return typeof group === 'number' || mayEdit(group, device) ? group : 403;
};

const keep = (hub: HubState, device: Device, group: Group | null, picture: Picture | null): void => {
  const subject: Subject = group ?? hub.registry.stateOf(device.account).profile;
  if (subject.picture === null && picture === null) return;
  subject.picture = picture;
  if (group === null) tellPicture(hub, device.account, device, picture?.id ?? null);
  else tellGroupPicture(hub, group, device, picture?.id ?? null);
};

const store = async (
  hub: HubState,
  device: Device,
  iq: BinaryNode,
  group: Group | null,
  bytes: Uint8Array,
): Promise<BinaryNode> => {
  const files = await hub.storePicture(bytes);
  // Only JPEG is accepted (whatsmeow group.go ErrInvalidImageFormat, 2026-08).
  if (files === null) return errorOf(iq, 406, 'not-acceptable');
  const picture = { ...files, id: String(hub.clock.now()) };
  keep(hub, device, group, picture);
  return resultOf(iq, [element('picture', { id: picture.id })]);
};

const set: IqHandler = (hub, device, iq) => {
  const group = owned(hub, device, iq.attrs.target);
  if (typeof group === 'number') return errorOf(iq, group, texts[group]);
  const image = childrenOf(iq).find(({ tag, attrs }) => tag === 'picture' && attrs.type === 'image');
  const bytes = bytesOf(image);
  if (bytes !== null) return answerLater(hub, device, iq, store(hub, device, iq, group, bytes));
  if (childrenOf(iq).length > 0) return errorOf(iq, 400, 'bad-request');
  keep(hub, device, group, null);
  return resultOf(iq);
};

export const pictureIqs: IqTable = { 'w:profile:picture get': get, 'w:profile:picture set': set };
