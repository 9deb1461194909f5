/** All operations below `/admin/v1`. */
import type { Operation } from '../../wire/operation.ts';
import { listAllDevices } from './all-devices-list.ts';
import { listAudit } from './audit-list.ts';
import { getCapture } from './capture-read.ts';
import { startCapture } from './capture-start.ts';
import { stopCapture } from './capture-stop.ts';
import { deleteAnyDevice } from './device-delete.ts';
import { exportAnyDevice } from './device-export.ts';
import { forgetAnyDevice } from './device-forget.ts';
import { importUserDevice } from './device-import.ts';
import { updateAnyDevice } from './device-update.ts';
import { rereadAnyDevice } from './device-reread.ts';
import { listUserDevices } from './devices-list.ts';
import { createUserKey } from './keys-create.ts';
import { listUserKeys } from './keys-list.ts';
import { updateUserKey } from './keys-update.ts';
import { revokeUserKey } from './keys-revoke.ts';
import { listNodes } from './nodes-list.ts';
import { createUser } from './users-create.ts';
import { deleteUser } from './users-delete.ts';
import { getUser } from './users-get.ts';
import { listUsers } from './users-list.ts';
import { updateUser } from './users-update.ts';

export const adminOperations: readonly Operation[] = [
  listUsers,
  createUser,
  getUser,
  updateUser,
  deleteUser,
  listUserKeys,
  createUserKey,
  updateUserKey,
  revokeUserKey,
  listUserDevices,
  listAllDevices,
  updateAnyDevice,
  deleteAnyDevice,
  exportAnyDevice,
  importUserDevice,
  forgetAnyDevice,
  rereadAnyDevice,
  startCapture,
  getCapture,
  stopCapture,
  listAudit,
  listNodes,
];
