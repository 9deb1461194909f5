/** Rights in a group, checked before a request is handled. */
import type { BinaryNode } from 'baileys';
import type { Device } from '../../../base/types.ts';
import { type Group, isAdmin } from '../../groups/group.ts';
import { errorOf } from '../../../base/nodes.ts';
import type { HubState } from '../../state/state.ts';
import type { IqHandler } from '../table.ts';

export type GroupHandler = (hub: HubState, group: Group, device: Device, iq: BinaryNode) => BinaryNode;

/** For members only (whatsmeow group.go ErrGroupNotFound, ErrNotInGroup, 2026-08). */
export const inGroup =
  (handler: GroupHandler): IqHandler =>
  (hub, device, iq) => {
    const group = hub.groups.get(iq.attrs.to ?? '');
    if (group === undefined) return errorOf(iq, 404, 'item-not-found');
    if (!group.members.has(device.account)) return errorOf(iq, 403, 'forbidden');
    return handler(hub, group, device, iq);
  };

/** `code`: 403 for changes (zapo WaGroupCoordinator, 2026-08), 401 for reads (whatsmeow ErrGroupInviteLinkUnauthorized; Baileys #202, 2023-06). */
export const byAdmin = (handler: GroupHandler, code: 401 | 403 = 403): IqHandler =>
  inGroup((hub, group, device, iq) =>
    isAdmin(group, device.account)
      ? handler(hub, group, device, iq)
      : errorOf(iq, code, code === 401 ? 'not-authorized' : 'forbidden'),
  );

export const mayEdit = (group: Group, device: Device): boolean => !group.locked || isAdmin(group, device.account);

export const byEditor = (handler: GroupHandler): IqHandler =>
  inGroup((hub, group, device, iq) =>
    mayEdit(group, device) ? handler(hub, group, device, iq) : errorOf(iq, 403, 'forbidden'),
  );
