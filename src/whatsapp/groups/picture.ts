/** The picture of a group, set and removed as stock Baileys does (`updateProfilePicture`, whatsmeow group.go SetGroupPhoto; 2026-08). */
import { getBinaryNodeChild, S_WHATSAPP_NET } from '../engine/nodes.ts';
import type { Jid } from '../../domain/jid.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import { askPictureId } from '../profile/profile.ts';
import type { Session } from '../session.ts';
import { askedOfGroup, node } from './ask.ts';
import type { GroupLink } from './group-link.ts';
import { pictureKey } from './notices.ts';

const refusals = { 406: 'The network does not take this picture' };

/** Null takes it away; where there is none, nothing is asked for, and nothing is news. */
export const setGroupPicture = async (
  { deviceId, sock, keeper, current }: GroupLink,
  link: Session,
  group: Jid,
  jpeg: Uint8Array | null,
): Promise<KeptGroup> => {
  const before = await current(group);
  if (jpeg === null && (await askPictureId(link, group)) === null) return before;
  const attrs = { to: S_WHATSAPP_NET, target: group, type: 'set', xmlns: 'w:profile:picture' };
  const content = jpeg === null ? {} : { content: [node('picture', { type: 'image' }, jpeg)] };
  const answer = await askedOfGroup(deviceId, () => sock.query({ tag: 'iq', attrs, ...content }), refusals);
  const id = getBinaryNodeChild(answer, 'picture')?.attrs['id'];
  await keeper.made(group, { picture: jpeg === null ? 'removed' : 'set' }, id === undefined ? id : pictureKey(id));
  return current(group);
};
