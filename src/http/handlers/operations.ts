/** All operations below `/v1`, in the order of the documentation. */
import type { Operation } from '../wire/operation.ts';
import { rejectCall, getChat, listChats, loadHistory, markRead, setTyping, updateChat } from './chats.ts';
import { getContact, getContactPicture, listContacts, lookUpNumbers, updateContact } from './contacts.ts';
import { getProfile, removeProfilePicture, setProfilePicture, updateProfile } from './profile.ts';
import {
  confirmPasskey,
  getLimits,
  getPasskey,
  getQr,
  getSession,
  listAccounts,
  respondToPasskey,
} from './sessions.ts';
import {
  createDevice,
  deleteDevice,
  disconnectDevice,
  getDevice,
  listDevices,
  restartDevice,
  updateDevice,
  getSettings,
  updateSettings,
} from './devices.ts';
import { getEvent, listEvents, streamEvents } from './events.ts';
import { createKey, listKeys, revokeKey, updateKey } from './keys.ts';
import { groupOperations } from './groups.ts';
import { getDeviceUsage, getMe, getOpenApi, getUsage } from './account.ts';
import { deleteMessage, editMessage, forwardMessage, setPin, setReaction, setStar } from './message-changes.ts';
import { getMessage, getPoll, getReceipts, listMessages } from './messages.ts';
import { getMessageMedia } from './message-media.ts';
import {
  sendAudio,
  sendContact,
  sendDocument,
  sendLocation,
  sendMedia,
  sendPoll,
  sendSticker,
  sendText,
  sendVideo,
  uploadFile,
} from './sends.ts';
import { createSuppression, deleteSuppression, listSuppressions } from './suppressions.ts';
import { primaryWebhookOperations, webhookOperationsOfBoth } from './webhooks.ts';

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
  ...primaryWebhookOperations,
  listSuppressions,
  createSuppression,
  deleteSuppression,
  ...webhookOperationsOfBoth,
  listKeys,
  createKey,
  updateKey,
  revokeKey,
  getMe,
  getUsage,
  getDeviceUsage,
  getOpenApi,
];
