/** All commands, in the order of the help. `serve` and `sandbox` are apart: they are services, not clients of one. */
import type { Command } from './command.ts';
import { audit } from './commands/audit.ts';
import { backup } from './commands/backup.ts';
import { completionOf } from './commands/completion.ts';
import { deviceCreate } from './commands/device-create.ts';
import { deviceDelete } from './commands/device-delete.ts';
import { deviceDisconnect } from './commands/device-disconnect.ts';
import { deviceExport } from './commands/device-export.ts';
import { deviceForget } from './commands/device-forget.ts';
import { deviceImport } from './commands/device-import.ts';
import { deviceList } from './commands/device-list.ts';
import { devicePasskey } from './commands/device-passkey.ts';
import { deviceQr } from './commands/device-qr.ts';
import { deviceRestart } from './commands/device-restart.ts';
import { deviceShow } from './commands/device-show.ts';
import { deviceStart, deviceStop } from './commands/device-stop.ts';
import { doctor } from './commands/doctor.ts';
import { events } from './commands/events.ts';
import { keyCreate } from './commands/key-create.ts';
import { keyExpire } from './commands/key-expire.ts';
import { keyList } from './commands/key-list.ts';
import { keyRevoke } from './commands/key-revoke.ts';
import { listen } from './commands/listen.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { mcp } from './commands/mcp.ts';
import { phoneAdd } from './commands/phone-add.ts';
import { phoneList } from './commands/phone-list.ts';
import { phoneMessages } from './commands/phone-messages.ts';
import { phoneScan } from './commands/phone-scan.ts';
import { phoneWrite } from './commands/phone-write.ts';
import { restore } from './commands/restore.ts';
import { migrateCommand } from './commands/migrate.ts';
import { migrateToPostgres } from './commands/migrate-to-postgres.ts';
import { rotateSecretCommand } from './commands/rotate-secret.ts';
import { sendImage } from './commands/send-image.ts';
import { sendText } from './commands/send-text.ts';
import { userCreate } from './commands/user-create.ts';
import { userDelete } from './commands/user-delete.ts';
import { userList } from './commands/user-list.ts';
import { userUpdate } from './commands/user-update.ts';

const listed: readonly Command[] = [
  login,
  logout,
  deviceCreate,
  deviceList,
  deviceShow,
  deviceQr,
  devicePasskey,
  deviceRestart,
  deviceDisconnect,
  deviceStop,
  deviceStart,
  deviceDelete,
  sendText,
  sendImage,
  events,
  listen,
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
  rotateSecretCommand,
  migrateCommand,
  migrateToPostgres,
  doctor,
  mcp,
];

export const commands: readonly Command[] = [...listed, completionOf(listed)];
