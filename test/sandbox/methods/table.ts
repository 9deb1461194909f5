/** Every method of a stock Baileys socket, with what becomes of it on the sandbox. */
import { proto } from 'baileys';
import { business, channels, communities, groups } from './more-rows.ts';
import type { Rows } from './rows.ts';

/** Functions that other methods are made of. */
const plumbing: Rows = {
  generateMessageTag: ['local', ({ socket }) => socket.generateMessageTag()],
  query: [
    'asked',
    ({ socket }) => socket.query({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' } }),
  ],
  waitForMessage: ['local'],
  waitForSocketOpen: ['local', ({ socket }) => socket.waitForSocketOpen()],
  waitForConnectionUpdate: ['local'],
  sendRawMessage: ['local'],
  sendNode: ['local'],
  registerSocketEndHandler: ['local', ({ socket }) => socket.registerSocketEndHandler(() => undefined)],
  onUnexpectedError: ['local'],
  updateServerTimeOffset: ['local'],
  getMediaHost: ['local', ({ socket }) => socket.getMediaHost()],
  upsertMessage: ['local', ({ socket, text }) => socket.upsertMessage(text, 'append')],
  executeUSyncQuery: ['asked', ({ socket, bob }) => socket.fetchStatus(bob)],
  appPatch: ['played', ({ socket, bob }) => socket.addOrEditContact(bob, { fullName: 'Bob B.' })],
};

const keys: Rows = {
  uploadPreKeys: ['played', ({ socket }) => socket.uploadPreKeys(5)],
  uploadPreKeysToServerIfRequired: ['asked', ({ socket }) => socket.uploadPreKeysToServerIfRequired()],
  digestKeyBundle: ['asked', ({ socket }) => socket.digestKeyBundle()],
  rotateSignedPreKey: ['played', ({ socket }) => socket.rotateSignedPreKey()],
  requestPairingCode: [
    'refused',
    async ({ socket }) => {
      // It forgets who it is.
      const { me } = socket.authState.creds;
      await socket.requestPairingCode('4915170000009');
      Object.assign(socket.authState.creds, { me });
    },
  ],
  assertSessions: ['asked', ({ socket, cyd }) => socket.assertSessions([cyd], true)],
  createParticipantNodes: [
    'local',
    ({ socket, bob }) => socket.createParticipantNodes([bob], { conversation: 'hello' }),
  ],
  getUSyncDevices: ['asked', ({ socket, cyd }) => socket.getUSyncDevices([cyd], false, false)],
};

const account: Rows = {
  // Telemetry: the network takes it and shows nothing of it.
  sendUnifiedSession: ['asked', ({ socket }) => socket.sendUnifiedSession()],
  sendWAMBuffer: ['asked', ({ socket }) => socket.sendWAMBuffer(Buffer.from('WAM'))],
  // There is nothing dirty.
  cleanDirtyBits: ['asked', ({ socket }) => socket.cleanDirtyBits('account_sync')],
  onWhatsApp: ['asked', ({ socket }) => socket.onWhatsApp('4915170000002')],
  fetchAccountReachoutTimelock: ['asked', ({ socket }) => socket.fetchAccountReachoutTimelock()],
  fetchNewChatMessageCap: ['asked', ({ socket }) => socket.fetchNewChatMessageCap()],
  createCallLink: ['refused', ({ socket }) => socket.createCallLink('audio')],
  getBotListV2: ['asked', ({ socket }) => socket.getBotListV2()],
  getBusinessProfile: ['asked', ({ socket, bob }) => socket.getBusinessProfile(bob)],
  sendPresenceUpdate: ['played', ({ socket, bob }) => socket.sendPresenceUpdate('composing', bob)],
  presenceSubscribe: ['played', ({ socket, bob }) => socket.presenceSubscribe(bob)],
  fetchPrivacySettings: ['asked', ({ socket }) => socket.fetchPrivacySettings(true)],
  updateCallPrivacy: ['played', ({ socket }) => socket.updateCallPrivacy('known')],
  updateMessagesPrivacy: ['played', ({ socket }) => socket.updateMessagesPrivacy('contacts')],
  updateLastSeenPrivacy: ['played', ({ socket }) => socket.updateLastSeenPrivacy('none')],
  updateOnlinePrivacy: ['played', ({ socket }) => socket.updateOnlinePrivacy('match_last_seen')],
  updateProfilePicturePrivacy: ['played', ({ socket }) => socket.updateProfilePicturePrivacy('contacts')],
  updateStatusPrivacy: ['played', ({ socket }) => socket.updateStatusPrivacy('contacts')],
  updateReadReceiptsPrivacy: ['played', ({ socket }) => socket.updateReadReceiptsPrivacy('none')],
  updateGroupsAddPrivacy: ['played', ({ socket }) => socket.updateGroupsAddPrivacy('contacts')],
  updateProfilePicture: ['played', ({ socket, me, picture }) => socket.updateProfilePicture(me, picture)],
  profilePictureUrl: ['asked', ({ socket, me }) => socket.profilePictureUrl(me)],
  removeProfilePicture: ['played', ({ socket, me }) => socket.removeProfilePicture(me)],
  updateProfileStatus: ['played', ({ socket }) => socket.updateProfileStatus('At the sea')],
  fetchStatus: ['asked', ({ socket, bob }) => socket.fetchStatus(bob)],
  updateDefaultDisappearingMode: ['played', ({ socket }) => socket.updateDefaultDisappearingMode(86_400)],
  fetchDisappearingDuration: ['asked', ({ socket, bob }) => socket.fetchDisappearingDuration(bob)],
  updateBlockStatus: ['played', ({ socket, bob }) => socket.updateBlockStatus(bob, 'block')],
  fetchBlocklist: [
    'asked',
    async ({ socket, bob }) => {
      await socket.fetchBlocklist();
      await socket.updateBlockStatus(bob, 'unblock');
    },
  ],
  issuePrivacyTokens: ['played', ({ socket, cyd }) => socket.issuePrivacyTokens([cyd], 1_800_000_000)],
};

/** Kept by the server for the account's other devices, under encryption. */
const appState: Rows = {
  resyncAppState: ['asked', ({ socket }) => socket.resyncAppState(['regular_low'], false)],
  updateProfileName: ['played', ({ socket }) => socket.updateProfileName('Ada L.')],
  updateDisableLinkPreviewsPrivacy: ['played', ({ socket }) => socket.updateDisableLinkPreviewsPrivacy(true)],
  chatModify: ['played', ({ socket, bob }) => socket.chatModify({ pin: true }, bob)],
  addOrEditContact: ['played', ({ socket, bob }) => socket.addOrEditContact(bob, { fullName: 'Bobby' })],
  removeContact: ['played', ({ socket, bob }) => socket.removeContact(bob)],
  addLabel: ['played', ({ socket, bob }) => socket.addLabel(bob, { id: '1', name: 'New', color: 1 })],
  addChatLabel: ['played', ({ socket, bob }) => socket.addChatLabel(bob, '1')],
  removeChatLabel: ['played', ({ socket, bob }) => socket.removeChatLabel(bob, '1')],
  addMessageLabel: ['played', ({ socket, bob }) => socket.addMessageLabel(bob, 'A', '1')],
  removeMessageLabel: ['played', ({ socket, bob }) => socket.removeMessageLabel(bob, 'A', '1')],
  star: ['played', ({ socket, bob }) => socket.star(bob, [{ id: 'A', fromMe: true }], true)],
  addOrEditQuickReply: [
    'played',
    ({ socket }) =>
      socket.addOrEditQuickReply({
        shortcut: 'hi',
        message: 'hello',
        timestamp: '1',
        keywords: [],
        count: 0,
        deleted: false,
      }),
  ],
  removeQuickReply: ['played', ({ socket }) => socket.removeQuickReply('1')],
};

const messages: Rows = {
  sendMessage: ['played', ({ socket, bob }) => socket.sendMessage(bob, { text: 'hello' })],
  relayMessage: ['played', ({ socket, bob }) => socket.relayMessage(bob, { conversation: 'hello' }, {})],
  sendReceipt: [
    'played',
    ({ socket, text: { key } }) => socket.sendReceipt(key.remoteJid!, undefined, [key.id!], 'read'),
  ],
  sendReceipts: ['played', ({ socket, text: { key } }) => socket.sendReceipts([key], 'read')],
  readMessages: ['played', ({ socket, text: { key } }) => socket.readMessages([key])],
  sendMessageAck: [
    'asked',
    ({ socket, bob, me }) => socket.sendMessageAck({ tag: 'message', attrs: { id: 'A', from: bob, to: me } }),
  ],
  sendRetryRequest: [
    'played',
    ({ socket, text: { key } }) =>
      socket.sendRetryRequest({ tag: 'message', attrs: { id: key.id!, from: key.remoteJid!, t: '1' } }, true),
  ],
  refreshMediaConn: ['asked', ({ socket }) => socket.refreshMediaConn(true)],
  waUploadToServer: [
    'played',
    ({ socket, file: { path, sha256 } }) =>
      socket.waUploadToServer(path, { fileEncSha256B64: sha256, mediaType: 'image', timeoutMs: 10_000 }),
  ],
  updateMediaMessage: ['played', ({ socket, image }) => socket.updateMediaMessage(image)],
  rejectCall: ['played', ({ socket, bob }) => socket.rejectCall('CALL', bob)],
  // The phone answers.
  requestPlaceholderResend: ['played', ({ socket, text: { key } }) => socket.requestPlaceholderResend(key)],
  sendPeerDataOperationMessage: [
    'played',
    ({ socket, text: { key } }) =>
      socket.sendPeerDataOperationMessage({
        placeholderMessageResendRequest: [{ messageKey: key }],
        peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
      }),
  ],
  fetchMessageHistory: ['played', ({ socket, text: { key } }) => socket.fetchMessageHistory(10, key, 1_800_000_000)],
};

/** In this order; what has no call is what others are made of. */
export const methods: Rows = {
  ...plumbing,
  ...keys,
  ...account,
  ...appState,
  ...messages,
  ...groups,
  ...business,
  ...channels,
  ...communities,
  logout: ['played', ({ socket }) => socket.logout()],
  end: ['local', ({ socket }) => socket.end(undefined)],
};
