/** `GET /devices` (interface.md, list devices): all of them, or a page at a time. */
import { Type } from 'typebox';
import type { Device } from '../../domain/device.ts';
import { operation } from '../operation.ts';
import type { Devices } from '../../service/devices.ts';
import { answer, members, ok } from '../schemas/build.ts';
import { DeviceSchema } from '../schemas/device.ts';
import { nextCursor, pageOf, pageParameters } from '../schemas/page.ts';

const all = async (devices: Devices, userId: number): Promise<readonly Device[]> => {
  const found: Device[] = [];
  let cursor: string | null = null;
  do {
    const page = await devices.list(userId, { limit: 1000, cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
};

export const listDevices = operation({
  id: 'listDevices',
  method: 'GET',
  path: '/devices',
  tag: 'Devices',
  summary: 'List devices',
  description: 'All devices of the caller, by id. With `limit` or `cursor` a page of them, and `nextCursor`.',
  query: members(pageParameters),
  answer: answer({ devices: Type.Array(DeviceSchema), nextCursor: Type.Optional(nextCursor) }),
  bySchema: true,
  errors: [400, 401, 408, 429, 500],
  async run({ parts, caller, query }) {
    const status = ok('Devices listed');
    if (query.limit === undefined && query.cursor === undefined) {
      return { devices: await all(parts.devices, caller.user.id), status };
    }
    const page = await parts.devices.list(caller.user.id, pageOf(query));
    return { devices: page.items, nextCursor: page.nextCursor, status };
  },
});
