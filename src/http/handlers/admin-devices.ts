/** Devices of all users, for the operator (docs/spec/users.md, Operator; docs/operations.md). */
import * as declared from '../../contract/operations/admin/devices.ts';
import { userOf } from '../admission/admin.ts';
import { answerPages } from '../streams/answers.ts';
import { handle } from '../wire/operation.ts';
import type { DeviceRecord } from '../../domain/device.ts';
import { operatorDeviceView } from '../views/operator.ts';
import { ok } from '../wire/values.ts';

export const listUserDevices = handle(declared.listUserDevices, async (call) => {
  const { id } = await userOf(call.services, call.params.userId);
  return answerPages(call, { name: 'devices', done: 'Devices listed' }, (piece) =>
    call.services.devices.list(id, piece),
  );
});

export const listAllDevices = handle(declared.listAllDevices, async (call) => {
  const { services, actor } = call;
  const viewOf = (record: DeviceRecord) => operatorDeviceView(services, services.scopes.of(record, actor));
  return answerPages(call, { name: 'devices', done: 'Devices listed' }, async (piece) => {
    const page = await services.stores.devices.list(null, piece);
    return { ...page, items: await Promise.all(page.items.map(viewOf)) };
  });
});

export const updateAnyDevice = handle(declared.updateAnyDevice, async ({ services, scope, body }) => {
  const { subscription_status: subscriptionStatus } = body;
  const patch = subscriptionStatus === undefined ? {} : { subscriptionStatus };
  await services.devices.update(scope, patch);
  return { device: await operatorDeviceView(services, scope), status: ok(`Device ${scope.id} updated`) };
});

export const exportAnyDevice = handle(declared.exportAnyDevice, async ({ services, scope, body }) => {
  const packed = await services.devices.export(scope, body.passphrase);
  return { export: packed, status: ok(`Device ${scope.id} stopped and packed`) };
});

export const importUserDevice = handle(declared.importUserDevice, async ({ services, actor, params, body }) => {
  const user = await userOf(services, params.userId);
  const id = await services.devices.import(user.id, body.export, body.passphrase, actor, body.proxy);
  const scope = services.scopes.of({ id, userId: user.id }, actor);
  return { device: await operatorDeviceView(services, scope), status: ok(`Device ${id} created`) };
});

export const forgetAnyDevice = handle(declared.forgetAnyDevice, async ({ services, scope }) => {
  await services.devices.forget(scope);
  return { status: ok(`Device ${scope.id} forgotten`) };
});

export const deleteAnyDevice = handle(declared.deleteAnyDevice, async ({ services, scope }) => {
  await services.devices.delete(scope);
  return { status: ok(`Device ${scope.id} deleted`) };
});

export const rereadAnyDevice = handle(declared.rereadAnyDevice, async ({ services, scope, query }) => {
  const page = await services.devices.reread(scope, query.cursor ?? null);
  return { ...page, status: ok(`${page.translated} messages read anew`) };
});
