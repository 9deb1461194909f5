/** `GET /devices` (docs/spec/devices.md, List devices): all of them, or a page at a time. */
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Device } from '../../../domain/device.ts';
import { operation } from '../../wire/operation.ts';
import type { Devices } from '../../../service/devices/devices.ts';
import { answer, members, ok } from '../../wire/build.ts';
import { DeviceSchema } from '../../schemas/devices/device.ts';
import { nextCursor, pageOf, pageParameters } from '../../schemas/page.ts';

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

/** As it was written before: a device that is shown as it was is the same object. */
const written = new WeakMap<Device, string>();

const textOf = (device: Device): string => {
  const before = written.get(device);
  if (before !== undefined) return before;
  const text = JSON.stringify(device);
  // A QR is of this minute.
  if (device.qr === null) written.set(device, text);
  return text;
};

/** Put together from what is written of each: of a thousand, most are as they were. */
const send = (reply: FastifyReply, devices: readonly Device[], rest: object): FastifyReply =>
  reply
    .type('application/json; charset=utf-8')
    .send(`{"devices":[${devices.map(textOf).join(',')}],${JSON.stringify(rest).slice(1)}`);

export const listDevices = operation({
  id: 'listDevices',
  method: 'GET',
  path: '/devices',
  tag: 'Devices',
  summary: 'List devices',
  description: 'All devices of the caller, ordered by id. With `limit` or `cursor`, one page of them and `nextCursor`.',
  query: members(pageParameters),
  answer: answer({ devices: Type.Array(DeviceSchema), nextCursor: Type.Optional(nextCursor) }),
  errors: [400, 401, 408, 429, 500],
  async run({ parts, caller, query, reply }) {
    const status = ok('Devices listed');
    if (query.limit === undefined && query.cursor === undefined) {
      return send(reply, await all(parts.devices, caller.user.id), { status });
    }
    const page = await parts.devices.list(caller.user.id, pageOf(query));
    return send(reply, page.items, { nextCursor: page.nextCursor, status });
  },
});
