/** All commands, in the order of the help. `start` and `sandbox` are apart: they are services, not clients of one. */
import type { Command } from './command/command.ts';
import { audit } from './commands/audit.ts';
import { backup } from './commands/backup.ts';
import { capture } from './commands/capture.ts';
import { captureCompare } from './commands/capture-compare.ts';
import { completionOf } from './commands/completion.ts';
import { callReject, chatHistory, chatRead, chatTyping } from './commands/chats/chat-acts.ts';
import { chatSet } from './commands/chats/chat-set.ts';
import {
  contactBlock,
  contactLookUp,
  contactName,
  contactPicture,
  contactUnblock,
  profile,
} from './commands/chats/people.ts';
import { chatList, chatShow, contactList, contactShow } from './commands/chats/chat-reads.ts';
import { accountList, accountShow } from './commands/account.ts';
import { messageMedia, messageReceipts, messageShow, messageVotes } from './commands/messages/message-show.ts';
import { messageList } from './commands/messages/message-list.ts';
import { groupCreate, groupLeave, groupList, groupSet, groupShow } from './commands/groups/groups.ts';
import {
  groupAdd,
  groupAdmin,
  groupDecide,
  groupInvite,
  groupJoin,
  groupPicture,
  groupPreview,
  groupRemove,
  groupRequests,
} from './commands/groups/members.ts';
import { deviceCreate } from './commands/devices/device-create.ts';
import { deviceDelete } from './commands/devices/device-delete.ts';
import { deviceDisconnect } from './commands/devices/device-disconnect.ts';
import { deviceExport } from './commands/devices/device-export.ts';
import { deviceForget } from './commands/devices/device-forget.ts';
import { deviceImport } from './commands/devices/device-import.ts';
import { deviceList } from './commands/devices/device-list.ts';
import { devicePasskey } from './commands/devices/device-passkey.ts';
import { deviceRename } from './commands/devices/device-rename.ts';
import { deviceQr } from './commands/devices/device-qr.ts';
import { deviceRestart } from './commands/devices/device-restart.ts';
import { deviceSettings } from './commands/devices/device-settings.ts';
import { deviceShow } from './commands/devices/device-show.ts';
import { deviceStart, deviceStop } from './commands/devices/device-stop.ts';
import { limits } from './commands/devices/limits.ts';
import { usage } from './commands/devices/usage.ts';
import { doctor } from './commands/doctor.ts';
import { events } from './commands/events.ts';
import { keyCreate } from './commands/keys/key-create.ts';
import { keyExpire } from './commands/keys/key-expire.ts';
import { keyList } from './commands/keys/key-list.ts';
import { keyRevoke } from './commands/keys/key-revoke.ts';
import { listen } from './commands/listen.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { mcp } from './commands/mcp.ts';
import { phoneAdd } from './commands/phones/phone-add.ts';
import { phoneList } from './commands/phones/phone-list.ts';
import { phoneMessages } from './commands/phones/phone-messages.ts';
import { phoneScan } from './commands/phones/phone-scan.ts';
import { phoneWrite } from './commands/phones/phone-write.ts';
import { reread } from './commands/reread.ts';
import { restore } from './commands/restore.ts';
import { migrateCommand } from './commands/migrate.ts';
import { migrateToPostgres } from './commands/migrate-to-postgres.ts';
import { compact } from './commands/compact.ts';
import { rotateSecretCommand } from './commands/rotate-secret.ts';
import { sendDocument } from './commands/messages/send-document.ts';
import {
  messageDelete,
  messagePin,
  messageStar,
  sendDelete,
  sendEdit,
  sendForward,
  sendReaction,
} from './commands/messages/send-changes.ts';
import { sendImage } from './commands/messages/send-image.ts';
import { sendContact, sendLocation, sendPoll, sendReply } from './commands/messages/send-kinds.ts';
import { sendAudio, sendSticker, sendVideo } from './commands/messages/send-recordings.ts';
import { sendText } from './commands/messages/send-text.ts';
import { suppressionsAdd, suppressionsList, suppressionsRemove } from './commands/suppressions.ts';
import { deliveriesList, deliveriesReplay, deliveriesShow } from './commands/webhooks/deliveries.ts';
import { webhookSet } from './commands/webhooks/webhook-set.ts';
import {
  webhookAdd,
  webhookDelete,
  webhookList,
  webhookSecret,
  webhookShow,
  webhookTest,
  webhookUpdate,
} from './commands/webhooks/webhooks.ts';
import { userCreate } from './commands/users/user-create.ts';
import { userDelete } from './commands/users/user-delete.ts';
import { userList } from './commands/users/user-list.ts';
import { userUpdate } from './commands/users/user-update.ts';

const listed: readonly Command[] = [
  login,
  logout,
  accountShow,
  accountList,
  deviceCreate,
  deviceList,
  deviceShow,
  deviceRename,
  deviceSettings,
  limits,
  usage,
  deviceQr,
  devicePasskey,
  deviceRestart,
  deviceDisconnect,
  deviceStop,
  deviceStart,
  deviceDelete,
  sendText,
  sendImage,
  sendDocument,
  sendVideo,
  sendAudio,
  sendSticker,
  sendLocation,
  sendContact,
  sendPoll,
  sendReply,
  sendReaction,
  sendEdit,
  sendDelete,
  sendForward,
  messageList,
  messageShow,
  messageReceipts,
  messageVotes,
  messageMedia,
  messagePin,
  chatList,
  chatShow,
  contactList,
  contactShow,
  chatTyping,
  chatRead,
  chatSet,
  chatHistory,
  callReject,
  messageStar,
  messageDelete,
  groupList,
  groupShow,
  groupCreate,
  groupSet,
  groupAdd,
  groupRemove,
  groupAdmin,
  groupPicture,
  groupInvite,
  groupPreview,
  groupJoin,
  groupRequests,
  groupDecide,
  groupLeave,
  contactLookUp,
  contactBlock,
  contactUnblock,
  contactName,
  contactPicture,
  profile,
  suppressionsList,
  suppressionsAdd,
  suppressionsRemove,
  events,
  listen,
  webhookList,
  webhookShow,
  webhookSet,
  webhookAdd,
  webhookUpdate,
  webhookDelete,
  webhookTest,
  webhookSecret,
  deliveriesList,
  deliveriesShow,
  deliveriesReplay,
  phoneAdd,
  phoneList,
  phoneScan,
  phoneWrite,
  phoneMessages,
  keyList,
  keyCreate,
  keyExpire,
  keyRevoke,
  userList,
  userCreate,
  userUpdate,
  userDelete,
  deviceExport,
  deviceImport,
  deviceForget,
  audit,
  backup,
  restore,
  compact,
  rotateSecretCommand,
  migrateCommand,
  reread,
  migrateToPostgres,
  doctor,
  captureCompare,
  capture,
  mcp,
];

export const commands: readonly Command[] = [...listed, completionOf(listed)];
