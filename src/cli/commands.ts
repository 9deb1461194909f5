/** All commands, in the order of the help. `serve` is apart: it is the service, not a client of it. */
import type { Command } from './command.ts';
import { deviceCreate } from './commands/device-create.ts';
import { deviceDelete } from './commands/device-delete.ts';
import { deviceDisconnect } from './commands/device-disconnect.ts';
import { deviceList } from './commands/device-list.ts';
import { deviceQr } from './commands/device-qr.ts';
import { deviceRestart } from './commands/device-restart.ts';
import { deviceShow } from './commands/device-show.ts';
import { doctor } from './commands/doctor.ts';
import { events } from './commands/events.ts';
import { keyCreate } from './commands/key-create.ts';
import { keyList } from './commands/key-list.ts';
import { keyRevoke } from './commands/key-revoke.ts';
import { listen } from './commands/listen.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { mcp } from './commands/mcp.ts';
import { sendImage } from './commands/send-image.ts';
import { sendText } from './commands/send-text.ts';

export const commands: readonly Command[] = [
  login,
  logout,
  deviceCreate,
  deviceList,
  deviceShow,
  deviceQr,
  deviceRestart,
  deviceDisconnect,
  deviceDelete,
  sendText,
  sendImage,
  events,
  listen,
  keyList,
  keyCreate,
  keyRevoke,
  doctor,
  mcp,
];
