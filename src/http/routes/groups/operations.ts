/** Operations on groups, in the order of the documentation. */
import type { Operation } from '../../wire/operation.ts';
import { createGroup } from './create.ts';
import { getGroup } from './get.ts';
import { getInvite } from './invite-get.ts';
import { rotateInvite } from './invite-rotate.ts';
import { previewInvite } from './invites-get.ts';
import { joinGroup } from './join.ts';
import { leaveGroup } from './leave.ts';
import { listGroups } from './list.ts';
import { addMembers } from './members-add.ts';
import { setAdmin } from './members-admin.ts';
import { removeMember } from './members-remove.ts';
import { getGroupPicture, removeGroupPicture, setGroupPicture } from './picture.ts';
import { decideRequest } from './requests-decide.ts';
import { listJoinRequests } from './requests-list.ts';
import { updateGroup } from './update.ts';

export const groupOperations: readonly Operation[] = [
  listGroups,
  getGroup,
  createGroup,
  joinGroup,
  updateGroup,
  leaveGroup,
  addMembers,
  setAdmin,
  removeMember,
  getInvite,
  rotateInvite,
  previewInvite,
  listJoinRequests,
  decideRequest,
  getGroupPicture,
  setGroupPicture,
  removeGroupPicture,
];
