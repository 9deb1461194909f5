/** Devices of all users, for the operator (docs/spec/users.md, Operator; docs/operations.md). */
import { Type } from 'typebox';
import { members, answer, oneOf } from '../../build.ts';
import { pageParameters, nextCursor } from '../../schemas/page.ts';
import { DeviceSchema, ProxySchema } from '../../schemas/devices/device.ts';
import { changes, declare, destroys, mediaLimit, reads } from '../../operation.ts';
import { OperatorDeviceSchema } from '../../schemas/operator.ts';

const passphraseMember = Type.String({
  minLength: 12,
  maxLength: 1024,
  description: 'Encrypts the package; at least 12 characters',
  errorMessage: 'must be a string of 12 to 1,024 characters',
});

export const listUserDevices = declare({
  id: 'listUserDevices',
  path: '/users/{userId}/devices',
  command: null,
  ...reads('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'List the devices of a user',
  description: 'Ordered by id, a page at a time.',
  query: members(pageParameters),
  answer: answer({ devices: Type.Array(DeviceSchema), nextCursor }),
});

export const listAllDevices = declare({
  id: 'listAllDevices',
  path: '/devices',
  command: 'device list',
  ...reads('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'List the devices of all users',
  description: 'Ordered by id, a page at a time.',
  query: members(pageParameters),
  answer: answer({ devices: Type.Array(OperatorDeviceSchema), nextCursor }),
});

export const updateAnyDevice = declare({
  id: 'updateAnyDevice',
  method: 'PUT',
  path: '/devices/{deviceId}',
  command: null,
  ...changes('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Stop or start a device of any user',
  description: '`inactive` stops the session and keeps its authentication.',
  body: {
    schema: members(
      {
        subscription_status: Type.Optional(
          oneOf(['active', 'inactive'], { errorMessage: 'must be active or inactive' }),
        ),
      },
      { title: 'UpdateAnyDevice' },
    ),
    examples: { stop: { subscription_status: 'inactive' } },
  },
  answer: answer({ device: OperatorDeviceSchema }),
  atOwner: true,
  errors: ['deviceLimitReached'],
});

export const exportAnyDevice = declare({
  id: 'exportAnyDevice',
  method: 'POST',
  path: '/devices/{deviceId}/export',
  command: 'device export <device> <file>',
  ...changes('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Stop a device and export it to another installation',
  description:
    'The package holds settings, link and keys, encrypted with the passphrase. The device stays here, stopped, until you forget it.',
  body: {
    schema: members({ passphrase: passphraseMember }, { title: 'ExportDevice' }),
    examples: { sealed: { passphrase: 'correct horse battery staple' } },
  },
  answer: answer({ export: Type.String({ description: 'The package, one line of text' }) }),
  atOwner: true,
  errors: ['notLinkedYet'],
});

export const importUserDevice = declare({
  id: 'importUserDevice',
  method: 'POST',
  path: '/users/{userId}/devices',
  command: 'device import <file>',
  ...changes('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Import a device from another installation',
  description: 'The device connects at once, without a new pairing, and counts against the limit of the user.',
  body: {
    schema: members(
      {
        export: Type.String({
          minLength: 1,
          description: 'The package',
          errorMessage: 'must be the package of a device',
        }),
        passphrase: passphraseMember,
        proxy: Type.Optional(ProxySchema),
      },
      { title: 'ImportDevice' },
    ),
    limit: mediaLimit,
    examples: { packed: { export: 'handset-device-1.…', passphrase: 'correct horse battery staple' } },
  },
  answer: answer({ device: OperatorDeviceSchema }),
  errors: ['deviceLimitReached'],
});

export const forgetAnyDevice = declare({
  id: 'forgetAnyDevice',
  method: 'POST',
  path: '/devices/{deviceId}/forget',
  command: 'device forget <device>',
  ...destroys('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Delete a stopped device without logging it out',
  description: 'For a device that was exported: a logout would end its link in the other installation.',
  answer: answer({}),
  atOwner: true,
  errors: ['deviceActive'],
});

export const deleteAnyDevice = declare({
  id: 'deleteAnyDevice',
  method: 'DELETE',
  path: '/devices/{deviceId}',
  command: 'device delete <device>',
  ...destroys('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Delete a device of any user',
  description: 'Logs a linked device out, then deletes all its data.',
  answer: answer({}),
  atOwner: true,
});

export const rereadAnyDevice = declare({
  id: 'rereadAnyDevice',
  method: 'POST',
  path: '/devices/{deviceId}/reread',
  command: 'reread',
  ...changes('0.3.0', 'operator'),
  tag: 'Operator',
  summary: 'Read stored messages of unknown kind again',
  description:
    'For messages that the previous version stored as `unknown`. One page of the log at a time, newest first; `message.updated` reports what was read.',
  query: members({ cursor: pageParameters.cursor }),
  answer: answer({
    unknown: Type.Integer({ description: 'Messages of unknown kind in this page' }),
    translated: Type.Integer({ description: 'How many of them now have their content' }),
    nextCursor,
  }),
  atOwner: true,
});
