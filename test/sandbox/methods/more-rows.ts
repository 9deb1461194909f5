/** Methods about groups and communities, and about what the sandbox does not have: catalogues, channels. */
import { proto } from 'baileys';
import type { Rows } from './rows.ts';

const nowhere = '120363000000000000@g.us';
const channel = '120363000000000001@newsletter';
const invite = { groupJid: nowhere, inviteCode: 'ABCDEFGH', inviteExpiration: 1_900_000_000 };
const inviteMessage = proto.Message.GroupInviteMessage.fromObject(invite);

export const groups: Rows = {
  groupMetadata: ['asked', ({ socket, group }) => socket.groupMetadata(group)],
  groupFetchAllParticipating: ['asked', ({ socket }) => socket.groupFetchAllParticipating()],
  groupCreate: ['played', ({ socket, bob }) => socket.groupCreate('Tea', [bob])],
  groupUpdateSubject: ['played', ({ socket, group }) => socket.groupUpdateSubject(group, 'Coffee')],
  groupParticipantsUpdate: ['played', ({ socket, group, cyd }) => socket.groupParticipantsUpdate(group, [cyd], 'add')],
  groupRequestParticipantsList: ['asked', ({ socket, group }) => socket.groupRequestParticipantsList(group)],
  groupRequestParticipantsUpdate: [
    'refused',
    ({ socket, group, cyd }) => socket.groupRequestParticipantsUpdate(group, [cyd], 'approve'),
  ],
  groupUpdateDescription: ['played', ({ socket, group }) => socket.groupUpdateDescription(group, 'Of tea')],
  groupInviteCode: ['asked', ({ socket, group }) => socket.groupInviteCode(group)],
  groupRevokeInvite: ['played', ({ socket, group }) => socket.groupRevokeInvite(group)],
  groupAcceptInvite: ['refused', ({ socket }) => socket.groupAcceptInvite('ABCDEFGH')],
  groupRevokeInviteV4: ['refused', ({ socket, group, cyd }) => socket.groupRevokeInviteV4(group, cyd)],
  groupAcceptInviteV4: ['refused', ({ socket, bob }) => socket.groupAcceptInviteV4(bob, inviteMessage)],
  groupGetInviteInfo: ['refused', ({ socket }) => socket.groupGetInviteInfo('ABCDEFGH')],
  groupToggleEphemeral: ['played', ({ socket, group }) => socket.groupToggleEphemeral(group, 86_400)],
  groupSettingUpdate: ['played', ({ socket, group }) => socket.groupSettingUpdate(group, 'announcement')],
  groupMemberAddMode: ['played', ({ socket, group }) => socket.groupMemberAddMode(group, 'admin_add')],
  groupJoinApprovalMode: ['played', ({ socket, group }) => socket.groupJoinApprovalMode(group, 'on')],
  updateMemberLabel: ['played', ({ socket, group }) => socket.updateMemberLabel(group, 'chair')],
  groupLeave: ['played', ({ socket, group }) => socket.groupLeave(group)],
};

export const business: Rows = {
  getOrderDetails: ['refused', ({ socket }) => socket.getOrderDetails('1', 'AAAA')],
  getCatalog: ['refused', ({ socket, bob }) => socket.getCatalog({ jid: bob })],
  getCollections: ['refused', ({ socket, bob }) => socket.getCollections(bob)],
  productCreate: [
    'refused',
    ({ socket }) =>
      socket.productCreate({
        name: 'Tea',
        price: 1,
        currency: 'EUR',
        description: 'Green',
        images: [],
        originCountryCode: undefined,
      }),
  ],
  productDelete: ['refused', ({ socket }) => socket.productDelete(['1'])],
  productUpdate: [
    'refused',
    ({ socket }) =>
      socket.productUpdate('1', { name: 'Tea', price: 1, currency: 'EUR', description: 'Green', images: [] }),
  ],
  updateBussinesProfile: ['refused', ({ socket }) => socket.updateBussinesProfile({ description: 'Tea' })],
  updateCoverPhoto: ['refused', ({ socket, picture }) => socket.updateCoverPhoto(picture)],
  removeCoverPhoto: ['refused', ({ socket }) => socket.removeCoverPhoto('1')],
};

export const channels: Rows = {
  newsletterCreate: ['refused', ({ socket }) => socket.newsletterCreate('News')],
  newsletterUpdate: ['refused', ({ socket }) => socket.newsletterUpdate(channel, { name: 'New' })],
  newsletterSubscribers: ['refused', ({ socket }) => socket.newsletterSubscribers(channel)],
  newsletterMetadata: ['refused', ({ socket }) => socket.newsletterMetadata('jid', channel)],
  newsletterFollow: ['refused', ({ socket }) => socket.newsletterFollow(channel)],
  newsletterUnfollow: ['refused', ({ socket }) => socket.newsletterUnfollow(channel)],
  newsletterMute: ['refused', ({ socket }) => socket.newsletterMute(channel)],
  newsletterUnmute: ['refused', ({ socket }) => socket.newsletterUnmute(channel)],
  newsletterUpdateName: ['refused', ({ socket }) => socket.newsletterUpdateName(channel, 'New')],
  newsletterUpdateDescription: ['refused', ({ socket }) => socket.newsletterUpdateDescription(channel, 'New')],
  newsletterUpdatePicture: ['refused', ({ socket, picture }) => socket.newsletterUpdatePicture(channel, picture)],
  newsletterRemovePicture: ['refused', ({ socket }) => socket.newsletterRemovePicture(channel)],
  newsletterReactMessage: ['refused', ({ socket }) => socket.newsletterReactMessage(channel, '1', '👍')],
  newsletterFetchMessages: ['refused', ({ socket }) => socket.newsletterFetchMessages(channel, 1, 0, 0)],
  subscribeNewsletterUpdates: ['refused', ({ socket }) => socket.subscribeNewsletterUpdates(channel)],
  newsletterAdminCount: ['refused', ({ socket }) => socket.newsletterAdminCount(channel)],
  newsletterChangeOwner: ['refused', ({ socket, bob }) => socket.newsletterChangeOwner(channel, bob)],
  newsletterDemote: ['refused', ({ socket, bob }) => socket.newsletterDemote(channel, bob)],
  newsletterDelete: ['refused', ({ socket }) => socket.newsletterDelete(channel)],
};

/** A stock client makes one with a general chat, which is not played; nowhere there is none. */
export const communities: Rows = {
  communityMetadata: ['refused', ({ socket }) => socket.communityMetadata(nowhere)],
  communityFetchAllParticipating: ['asked', ({ socket }) => socket.communityFetchAllParticipating()],
  communityCreate: ['refused', ({ socket }) => socket.communityCreate('Town', 'All of it')],
  communityCreateGroup: ['refused', ({ socket, bob }) => socket.communityCreateGroup('Street', [bob], nowhere)],
  communityLeave: ['refused', ({ socket }) => socket.communityLeave(nowhere)],
  communityUpdateSubject: ['refused', ({ socket }) => socket.communityUpdateSubject(nowhere, 'City')],
  communityLinkGroup: ['refused', ({ socket, group }) => socket.communityLinkGroup(group, nowhere)],
  communityUnlinkGroup: ['refused', ({ socket, group }) => socket.communityUnlinkGroup(group, nowhere)],
  communityFetchLinkedGroups: ['refused', ({ socket }) => socket.communityFetchLinkedGroups(nowhere)],
  communityRequestParticipantsList: ['refused', ({ socket }) => socket.communityRequestParticipantsList(nowhere)],
  communityRequestParticipantsUpdate: [
    'refused',
    ({ socket, bob }) => socket.communityRequestParticipantsUpdate(nowhere, [bob], 'approve'),
  ],
  communityParticipantsUpdate: [
    'refused',
    ({ socket, bob }) => socket.communityParticipantsUpdate(nowhere, [bob], 'add'),
  ],
  communityUpdateDescription: ['refused', ({ socket }) => socket.communityUpdateDescription(nowhere, 'All')],
  communityInviteCode: ['refused', ({ socket }) => socket.communityInviteCode(nowhere)],
  communityRevokeInvite: ['refused', ({ socket }) => socket.communityRevokeInvite(nowhere)],
  communityAcceptInvite: ['refused', ({ socket }) => socket.communityAcceptInvite('ABCDEFGH')],
  communityRevokeInviteV4: ['refused', ({ socket, bob }) => socket.communityRevokeInviteV4(nowhere, bob)],
  communityAcceptInviteV4: ['refused', ({ socket, bob }) => socket.communityAcceptInviteV4(bob, inviteMessage)],
  communityGetInviteInfo: ['refused', ({ socket }) => socket.communityGetInviteInfo('ABCDEFGH')],
  communityToggleEphemeral: ['refused', ({ socket }) => socket.communityToggleEphemeral(nowhere, 86_400)],
  communitySettingUpdate: ['refused', ({ socket }) => socket.communitySettingUpdate(nowhere, 'announcement')],
  communityMemberAddMode: ['refused', ({ socket }) => socket.communityMemberAddMode(nowhere, 'all_member_add')],
  communityJoinApprovalMode: ['refused', ({ socket }) => socket.communityJoinApprovalMode(nowhere, 'on')],
};
