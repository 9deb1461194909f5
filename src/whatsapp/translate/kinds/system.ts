/** Lines that the apps write into a chat by themselves, and invitations that are not to a group. */
import type { proto } from '../../engine/proto.ts';
import type { Kinds, Said } from '../parts/kind.ts';

const line = (text?: string | null, context?: proto.IContextInfo | null): Said => ({ type: 'system', text, context });

export const systemKinds: Kinds = {
  requestPhoneNumberMessage: ({ requestPhoneNumberMessage: request }) => line(null, request!.contextInfo),
  scheduledCallEditMessage: () => line(),
  newsletterAdminInviteMessage: ({ newsletterAdminInviteMessage: invite }) =>
    line(invite!.caption || invite!.newsletterName, invite!.contextInfo),
  newsletterFollowerInviteMessageV2: ({ newsletterFollowerInviteMessageV2: invite }) =>
    line(invite!.caption || invite!.newsletterName, invite!.contextInfo),
  pollResultSnapshotMessage: ({ pollResultSnapshotMessage: result }) => line(result!.name, result!.contextInfo),
  pollResultSnapshotMessageV3: ({ pollResultSnapshotMessageV3: result }) => line(result!.name, result!.contextInfo),
  statusMentionMessage: () => line(),
  groupStatusMentionMessage: () => line(),
  limitSharingMessage: () => line(),
  statusNotificationMessage: () => line(),
  statusAddYours: () => line(),
  statusStickerInteractionMessage: () => line(),
};
