/** Invitations to a group, written by one of its administrators. */
import { cutOrNull, type Kinds, timeOrNull } from '../kind.ts';

export const groupInviteKinds: Kinds = {
  groupInviteMessage: ({ groupInviteMessage: invite }) => ({
    type: 'groupInvite',
    text: invite!.caption,
    parts: {
      groupInvite: {
        group: cutOrNull(invite!.groupJid) ?? '',
        subject: cutOrNull(invite!.groupName),
        code: cutOrNull(invite!.inviteCode),
        expiresAt: timeOrNull(invite!.inviteExpiration),
      },
    },
    context: invite!.contextInfo,
  }),
};
