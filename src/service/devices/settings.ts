/** Settings of a device beside its nine fields (docs/spec/devices.md, Settings). */
import { type DeviceSettings, withKnownCredentials } from '../../domain/device.ts';
import { invalidRequest } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';

const noSharedStore =
  'media cannot be kept here: nodes that share a database need a place that they share, which the operator names in HANDSET_MEDIA_STORE';

/** The given settings, with the proxy in the form in which it is stored. Throws InvalidRequest for one that cannot be used. */
const checked = (
  { outbound }: LiveParts,
  settings: Partial<DeviceSettings>,
  before: DeviceSettings,
): Partial<DeviceSettings> => {
  if (typeof settings.proxy !== 'string') return settings;
  return { ...settings, proxy: withKnownCredentials(outbound.checkProxy(settings.proxy), before.proxy) };
};

/** A session that is open, or being opened, starts over: nothing of it may continue by the former way. A ban is waited for all the same. */
const changeWay = (runtime: DeviceRuntime): void => {
  const { state } = runtime.session;
  const isBanned = state.kind === 'reconnecting' && state.ban !== undefined;
  if (state.kind !== 'closed' && !isBanned) runtime.handle({ kind: 'restart' }, true);
};

/** Changes those given; the present session follows at once. */
export const updateSettings = (
  parts: LiveParts,
  scope: DeviceScope,
  settings: Partial<DeviceSettings>,
): Promise<DeviceSettings> =>
  scope.operate(async (runtime, before) => {
    if (Object.keys(settings).length === 0) return before.settings;
    if (settings.media === 'kept' && !parts.keeper.isAble) throw invalidRequest(noSharedStore);
    const change = { settings: checked(parts, settings, before.settings) };
    const after = await parts.stores.devices.update(scope.id, change, scope.actor);
    runtime.applySettings(after.settings);
    if (after.settings.proxy !== before.settings.proxy) changeWay(runtime);
    if (settings.media !== undefined) parts.keeper.look();
    return after.settings;
  });
