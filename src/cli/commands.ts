/**
 * All commands, in the order of the help, without those that run services. `callCommand` makes one from the contract if it
 * is a single request, or one of two. By hand is what takes several (pairing, `device list` and `show`, `suppression list`,
 * `user create`, `reread`), streams, files, the data folder, and the phones of the sandbox.
 */
import type { Command } from './command/command.ts';
import { otherCommands } from './command/generic.ts';
import { completionOf } from './help/completion.ts';
import { accountCommands, usageCommands } from './commands/account.ts';
import { deviceLinkingCommands } from './commands/device-linking.ts';
import { deviceCommands } from './commands/devices.ts';
import { deviceSettings } from './commands/device-settings.ts';
import { sendCommands } from './commands/send.ts';
import { messageChangeCommands } from './commands/message-changes.ts';
import { messageCommands } from './commands/messages.ts';
import { chatCommands } from './commands/chats.ts';
import { contactCommands } from './commands/contacts.ts';
import { channelCommands } from './commands/channels.ts';
import { groupCommands } from './commands/groups.ts';
import { statusCommands } from './commands/statuses.ts';
import { memberCommands } from './commands/group-members.ts';
import { eventCommands } from './commands/events.ts';
import { deliveryCommands, webhookCommands } from './commands/webhooks.ts';
import { phoneCommands } from './commands/phones.ts';
import { keyCommands } from './commands/keys.ts';
import { userCommands } from './commands/users.ts';
import { deviceTransferCommands } from './commands/device-transfer.ts';
import { backupCommands } from './commands/backup.ts';
import { databaseCommands } from './commands/database.ts';
import { doctor } from './commands/doctor.ts';
import { captureCommands } from './commands/capture.ts';
import { mcp } from './commands/mcp.ts';

const byHand: readonly Command[] = [
  ...accountCommands,
  ...deviceCommands,
  ...deviceLinkingCommands,
  deviceSettings,
  ...usageCommands,
  ...sendCommands,
  ...messageChangeCommands,
  ...messageCommands,
  ...chatCommands,
  ...contactCommands,
  ...groupCommands,
  ...statusCommands,
  ...channelCommands,
  ...memberCommands,
  ...eventCommands,
  ...webhookCommands,
  ...deliveryCommands,
  ...phoneCommands,
  ...keyCommands,
  ...userCommands,
  ...deviceTransferCommands,
  ...backupCommands,
  ...databaseCommands,
  doctor,
  ...captureCommands,
  mcp,
];

export const fromContract = otherCommands(byHand);

const listed = [...byHand, ...fromContract];

export const commands: readonly Command[] = [...listed, completionOf(listed)];
