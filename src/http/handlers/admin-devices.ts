/** Devices of all users, for the operator (docs/spec/users.md, Operator; docs/operations.md). */
import { Type } from 'typebox';
import type { DeviceRecord } from '../../domain/device.ts';
import { userOf } from '../admission/admin.ts';
import { answerPages } from '../streams/answers.ts';
import { operation } from '../wire/operation.ts';
import { answer, members, ok, oneOf } from '../wire/build.ts';
import { DeviceSchema } from '../schemas/devices/device.ts';
import { nextCursor, pageParameters } from '../schemas/page.ts';
import { OperatorDeviceSchema, operatorDeviceView } from '../schemas/operator.ts';
import { mediaLimit } from '../body/body.ts';
import { ProxySchema } from '../schemas/devices/settings.ts';

const passphraseMember = Type.String({
  minLength: 12,
  maxLength: 1024,
  description: 'Encrypts the package; at least 12 characters',
  errorMessage: 'must be a string of 12 to 1,024 characters',
});

export const listUserDevices = operation({
  id: 'listUserDevices',
  method: 'GET',
  path: '/users/{userId}/devices',
  tag: 'Operator',
  summary: 'List the devices of a user',
  query: members(pageParameters),
  answer: answer({ devices: Type.Array(DeviceSchema), nextCursor }),
  errors: [400, 401, 404, 408, 500],
  async run(call) {
    const { id } = await userOf(call.parts, call.params.userId);
    return answerPages(call, { name: 'devices', done: 'Devices listed' }, (piece) =>
      call.parts.devices.list(id, piece),
    );
  },
});

export const listAllDevices = operation({
  id: 'listAllDevices',
  method: 'GET',
  path: '/devices',
  tag: 'Operator',
  summary: 'List the devices of all users',
  query: members(pageParameters),
  answer: answer({ devices: Type.Array(OperatorDeviceSchema), nextCursor }),
  errors: [400, 401, 408, 429, 500],
  async run(call) {
    const { parts, actor } = call;
    const viewOf = (record: DeviceRecord) => operatorDeviceView(parts, parts.scopes.of(record, actor));
    return answerPages(call, { name: 'devices', done: 'Devices listed' }, async (piece) => {
      const page = await parts.stores.devices.list(null, piece);
      return { ...page, items: await Promise.all(page.items.map(viewOf)) };
    });
  },
});

export const updateAnyDevice = operation({
  id: 'updateAnyDevice',
  method: 'PUT',
  path: '/devices/{deviceId}',
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
  errors: [400, 401, 403, 404, 408, 413, 429, 500],
  async run({ parts, scope, body }) {
    const { subscription_status: subscriptionStatus } = body;
    const patch = subscriptionStatus === undefined ? {} : { subscriptionStatus };
    await parts.devices.update(scope, patch);
    return { device: await operatorDeviceView(parts, scope), status: ok(`Device ${scope.id} updated`) };
  },
});

export const exportAnyDevice = operation({
  id: 'exportAnyDevice',
  method: 'POST',
  path: '/devices/{deviceId}/export',
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
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, scope, body }) {
    const packed = await parts.devices.export(scope, body.passphrase);
    return { export: packed, status: ok(`Device ${scope.id} stopped and packed`) };
  },
});

export const importUserDevice = operation({
  id: 'importUserDevice',
  method: 'POST',
  path: '/users/{userId}/devices',
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
  errors: [400, 401, 403, 404, 408, 413, 429, 500],
  async run({ parts, actor, params, body }) {
    const user = await userOf(parts, params.userId);
    const id = await parts.devices.import(user.id, body.export, body.passphrase, actor, body.proxy);
    const scope = parts.scopes.of({ id, userId: user.id }, actor);
    return { device: await operatorDeviceView(parts, scope), status: ok(`Device ${id} created`) };
  },
});

export const forgetAnyDevice = operation({
  id: 'forgetAnyDevice',
  method: 'POST',
  path: '/devices/{deviceId}/forget',
  tag: 'Operator',
  summary: 'Delete a stopped device without logging it out',
  description: 'For a device that was exported: a logout would end its link in the other installation.',
  answer: answer({}),
  atOwner: true,
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, scope }) {
    await parts.devices.forget(scope);
    return { status: ok(`Device ${scope.id} forgotten`) };
  },
});

export const deleteAnyDevice = operation({
  id: 'deleteAnyDevice',
  method: 'DELETE',
  path: '/devices/{deviceId}',
  tag: 'Operator',
  summary: 'Delete a device of any user',
  description: 'Logs a linked device out, then deletes all its data.',
  answer: answer({}),
  atOwner: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, scope }) {
    await parts.devices.delete(scope);
    return { status: ok(`Device ${scope.id} deleted`) };
  },
});

export const rereadAnyDevice = operation({
  id: 'rereadAnyDevice',
  method: 'POST',
  path: '/devices/{deviceId}/reread',
  tag: 'Operator',
  summary: 'Read stored messages of unknown kind again',
  description:
    'For messages that the previous version stored as `unknown`. One page of the log at a time, newest first; `message.updated` reports what was read.',
  query: members({ cursor: pageParameters.cursor }),
  answer: answer({
    unknown: Type.Integer({ description: 'Messages of unknown kind in this page' }),
    translated: Type.Integer({ description: 'Messages among them that have their content now' }),
    nextCursor,
  }),
  atOwner: true,
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, scope, query }) {
    const page = await parts.devices.reread(scope, query.cursor ?? null);
    return { ...page, status: ok(`${page.translated} messages read anew`) };
  },
});
