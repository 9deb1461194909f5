/** All operations below `/v1`, in the order of the documentation. */
import type { Operation } from '../wire/operation.ts';
import { rejectCall } from './calls/reject.ts';
import { markRead } from './chats/read.ts';
import { loadHistory } from './chats/history.ts';
import { updateChat } from './chats/update.ts';
import { lookUpNumbers } from './contacts/lookup.ts';
import { getContactPicture } from './contacts/picture.ts';
import { updateContact } from './contacts/update.ts';
import { removeProfilePicture, setProfilePicture } from './profile/picture.ts';
import { getProfile, updateProfile } from './profile/profile.ts';
import { setTyping } from './chats/typing.ts';
import { listAttempts } from './webhooks/deliveries-attempts.ts';
import { retryDelivery } from './webhooks/deliveries-retry.ts';
import { retryFailedDeliveries } from './webhooks/deliveries-retry-failed.ts';
import { listDeliveries } from './webhooks/deliveries-list.ts';
import { listAccounts } from './devices/accounts.ts';
import { createDevice } from './devices/create.ts';
import { deleteDevice } from './devices/delete.ts';
import { disconnectDevice } from './devices/disconnect.ts';
import { getDevice } from './devices/get.ts';
import { getLimits } from './devices/limits.ts';
import { listDevices } from './devices/list.ts';
import { getChat } from './chats/get.ts';
import { listChats } from './chats/list.ts';
import { getContact } from './chats/contacts-get.ts';
import { listContacts } from './chats/contacts-list.ts';
import { getQr } from './devices/qr.ts';
import { restartDevice } from './devices/restart.ts';
import { getSession } from './devices/session.ts';
import { getSettings } from './devices/settings-get.ts';
import { updateSettings } from './devices/settings-update.ts';
import { updateDevice } from './devices/update.ts';
import { getEvent } from './events/get.ts';
import { listEvents } from './events/list.ts';
import { streamEvents } from './events/stream.ts';
import { createKey } from './keys/create.ts';
import { listKeys } from './keys/list.ts';
import { updateKey } from './keys/update.ts';
import { revokeKey } from './keys/revoke.ts';
import { groupOperations } from './groups/operations.ts';
import { getMe } from './me.ts';
import { deleteMessage } from './messages/delete.ts';
import { editMessage } from './messages/edit.ts';
import { forwardMessage } from './messages/forward.ts';
import { getMessage } from './messages/get.ts';
import { listMessages } from './messages/list.ts';
import { getMessageMedia } from './messages/media.ts';
import { setPin } from './messages/pin.ts';
import { getPoll } from './messages/poll.ts';
import { setReaction } from './messages/reaction.ts';
import { getReceipts } from './messages/receipts.ts';
import { setStar } from './messages/star.ts';
import { sendAudio } from './messages/send-audio.ts';
import { sendContact } from './messages/send-contact.ts';
import { sendDocument } from './messages/send-document.ts';
import { sendLocation } from './messages/send-location.ts';
import { sendMedia } from './messages/send-media.ts';
import { sendPoll } from './messages/send-poll.ts';
import { sendSticker } from './messages/send-sticker.ts';
import { sendText } from './messages/send-text.ts';
import { sendVideo } from './messages/send-video.ts';
import { uploadFile } from './messages/upload.ts';
import { createSuppression } from './suppressions/create.ts';
import { deleteSuppression } from './suppressions/delete.ts';
import { listSuppressions } from './suppressions/list.ts';
import { getOpenApi } from './openapi-get.ts';
import { confirmPasskey } from './devices/passkey-confirm.ts';
import { getPasskey } from './devices/passkey-get.ts';
import { respondToPasskey } from './devices/passkey-response.ts';
import { getDeviceUsage, getUsage } from './usage.ts';
import { getWebhook } from './webhooks/get.ts';
import { rotateWebhookSecret } from './webhooks/rotate.ts';
import { testWebhook } from './webhooks/test.ts';
import { webhookOperations } from './webhooks/additional/operations.ts';

export const operations: readonly Operation[] = [
  createDevice,
  listDevices,
  getDevice,
  updateDevice,
  restartDevice,
  disconnectDevice,
  deleteDevice,
  getQr,
  getSession,
  listAccounts,
  getLimits,
  getSettings,
  updateSettings,
  getPasskey,
  respondToPasskey,
  confirmPasskey,
  uploadFile,
  sendText,
  sendMedia,
  sendDocument,
  sendVideo,
  sendAudio,
  sendSticker,
  sendLocation,
  sendContact,
  sendPoll,
  forwardMessage,
  editMessage,
  deleteMessage,
  setReaction,
  setPin,
  updateChat,
  loadHistory,
  setTyping,
  markRead,
  lookUpNumbers,
  updateContact,
  getContactPicture,
  rejectCall,
  setStar,
  getProfile,
  updateProfile,
  setProfilePicture,
  removeProfilePicture,
  listMessages,
  getMessage,
  getMessageMedia,
  getReceipts,
  getPoll,
  listChats,
  getChat,
  listContacts,
  getContact,
  ...groupOperations,
  listEvents,
  getEvent,
  streamEvents,
  getWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  listAttempts,
  retryDelivery,
  retryFailedDeliveries,
  listSuppressions,
  createSuppression,
  deleteSuppression,
  ...webhookOperations,
  listKeys,
  createKey,
  updateKey,
  revokeKey,
  getMe,
  getUsage,
  getDeviceUsage,
  getOpenApi,
];
