/** Devices: create, read, change, restart, disconnect and delete (docs/spec/devices.md). */
import * as declared from '../../contract/operations/devices.ts';
import { ok } from '../wire/values.ts';
import { type AnyCall, handle } from '../wire/operation.ts';
import type { CreatedDevice } from '../../service/devices/pairing.ts';
import { createdOnce } from './sent.ts';
import { answerPages } from '../streams/answers.ts';
import { type DeviceSettings, withoutCredentials } from '../../domain/device.ts';
import { parseChat } from '../../domain/chats/recipient.ts';
import type { Creation } from '../../domain/messages/idempotency.ts';
import type { Static } from 'typebox';
import type { UpdateSettingsSchema } from '../../contract/schemas/devices/device.ts';

type Lists = 'presence' | 'stopWords';

type Given = Readonly<Omit<Static<typeof UpdateSettingsSchema>, Lists>> & Partial<Record<Lists, readonly string[]>>;

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

const settingsIn = ({ presence, stopWords: words, ...given }: Given): Partial<DeviceSettings> => ({
  ...given,
  ...(presence === undefined ? {} : { presence: distinct(presence.map((chat) => parseChat(chat, 'presence'))) }),
  ...(words === undefined ? {} : { stopWords: distinct(words.map((word) => word.trim())) }),
});

const settingsView = ({ presence, stopWords: words, proxy, ...others }: DeviceSettings) => ({
  ...others,
  proxy: proxy === null ? null : withoutCredentials(proxy),
  presence: [...presence],
  stopWords: [...words],
});

/** The service stopped before the first answer. */
const asItIs = async ({ services, caller, actor }: Pick<AnyCall, 'services' | 'caller' | 'actor'>, id: number) => ({
  device: await services.devices.get(services.scopes.of({ id, userId: caller.user.id }, actor)),
  pairingCode: null,
});

export const createDevice = handle(declared.createDevice, async (call) => {
  const { services, caller, actor, body, signal } = call;
  const made = await createdOnce<CreatedDevice | { readonly id: number }>(call, 'device', body, (once) =>
    services.devices.create(caller.user.id, body, signal, actor, once),
  );
  const created = 'device' in made ? made : await asItIs(call, made.id);
  return {
    device: created.device,
    ...(body.phoneNumber === undefined ? {} : { pairingCode: created.pairingCode }),
    status: ok(`Device ${created.device.id} created`),
  };
});

export const adoptDevice = handle(declared.adoptDevice, async (call) => {
  const { services, caller, actor, body } = call;
  const adopt = (given?: { readonly once?: Creation | undefined; readonly made?: number }) =>
    services.devices.adopt(caller.user.id, body, actor, given);
  const first = await createdOnce<Awaited<ReturnType<typeof adopt>> | { readonly id: number }>(
    call,
    'adopt',
    body,
    (once) => adopt({ once }),
  );
  const { id, counts } = 'counts' in first ? first : await adopt({ made: first.id });
  const device = await services.devices.get(services.scopes.of({ id, userId: caller.user.id }, actor));
  return { device, adopted: counts, status: ok(`Device ${id} created`) };
});

export const releaseDevice = handle(declared.releaseDevice, async ({ services, scope, deviceId }) => {
  return { files: await services.devices.release(scope), status: ok(`Device ${deviceId} stopped`) };
});

export const listDevices = handle(declared.listDevices, (call) => {
  const { services, caller, query } = call;
  const isWhole = query.limit === undefined && query.cursor === undefined;
  return answerPages(call, { name: 'devices', done: 'Devices listed', isLight: true, isWhole }, (piece) =>
    services.devices.list(caller.user.id, piece, caller.key?.devices),
  );
});

export const getDevice = handle(declared.getDevice, async ({ services, scope, deviceId }) => {
  return { device: await services.devices.get(scope), status: ok(`Device ${deviceId} retrieved`) };
});

export const updateDevice = handle(declared.updateDevice, async ({ services, scope, deviceId, body }) => {
  const { subscription_status: subscriptionStatus, ...rest } = body;
  const patch = { ...rest, ...(subscriptionStatus === undefined ? {} : { subscriptionStatus }) };
  const device = await services.devices.update(scope, patch);
  if (typeof patch.webhookUrl === 'string') services.wakeDispatcher();
  return { device, status: ok(`Device ${deviceId} updated`) };
});

export const restartDevice = handle(declared.restartDevice, async ({ services, scope, deviceId, body, signal }) => {
  const started = await services.devices.restart(scope, body.phoneNumber ?? null, signal);
  return {
    ...(started.pairingCode === null ? {} : { pairingCode: started.pairingCode }),
    status: ok(`Device ${deviceId} restarted`),
  };
});

export const disconnectDevice = handle(declared.disconnectDevice, async ({ services, scope, deviceId }) => {
  await services.devices.disconnect(scope);
  return { status: ok(`Device ${deviceId} disconnected`) };
});

export const deleteDevice = handle(declared.deleteDevice, async ({ services, scope, deviceId }) => {
  await services.devices.delete(scope);
  return { status: ok(`Device ${deviceId} deleted`) };
});

export const getSettings = handle(declared.getSettings, async ({ scope, deviceId }) => {
  const { settings } = await scope.record();
  return { settings: settingsView(settings), status: ok(`Settings of device ${deviceId} retrieved`) };
});

export const updateSettings = handle(declared.updateSettings, async ({ services, scope, deviceId, body }) => {
  const settings = await services.devices.updateSettings(scope, settingsIn(body));
  return { settings: settingsView(settings), status: ok(`Settings of device ${deviceId} updated`) };
});
