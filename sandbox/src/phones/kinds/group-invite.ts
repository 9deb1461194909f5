/** Invitations to a group, written by one of its administrators. */
import type { Message } from '../context/context.ts';
import { type PartReader, seconds, timeOf } from './part.ts';
import type { GroupInvite } from './types.ts';

export const groupInviteMessage = (invite: GroupInvite, caption: string | null): Message => {
  const { group: groupJid, subject: groupName, code: inviteCode, expiresAt } = invite;
  const inviteExpiration = expiresAt === null ? null : seconds(new Date(expiresAt));
  return { groupInviteMessage: { groupJid, groupName, inviteCode, inviteExpiration, caption } };
};

export const readGroupInvite: PartReader = ({ groupInviteMessage: said }) => {
  if (!said) return null;
  const groupInvite: GroupInvite = {
    group: said.groupJid ?? '',
    subject: said.groupName || null,
    code: said.inviteCode || null,
    expiresAt: timeOf(said.inviteExpiration),
  };
  return { type: 'groupInvite', members: { text: said.caption || null, groupInvite }, context: said.contextInfo };
};
