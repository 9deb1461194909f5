/** Invitations to a group, written by one of its administrators. */
import type { proto } from '../../engine/proto.ts';
import { cutOrNull, type Kinds, timeOrNull } from '../parts/kind.ts';

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

/** An invitation for one person who does not let everybody add them; `expiresAt`: ms. */
export const composeGroupInvite = (invite: {
  readonly group: string;
  readonly subject: string;
  readonly code: string;
  readonly expiresAt: number;
}): proto.IMessage => ({
  groupInviteMessage: {
    groupJid: invite.group,
    groupName: invite.subject,
    inviteCode: invite.code,
    inviteExpiration: Math.round(invite.expiresAt / 1000),
  },
});
