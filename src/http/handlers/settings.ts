/** Settings of a device. */
import { operation } from '../wire/operation.ts';
import { answer, ok } from '../wire/build.ts';
import { settingsIn, SettingsSchema, settingsView, UpdateSettingsSchema } from '../schemas/devices/settings.ts';

/** `GET /devices/{id}/settings` (docs/spec/devices.md, Settings). */
export const getSettings = operation({
  id: 'getSettings',
  method: 'GET',
  path: '/devices/{id}/settings',
  tag: 'Devices',
  summary: 'Retrieve the settings of a device',
  answer: answer({ settings: SettingsSchema }),
  errors: [401, 404, 408, 429, 500],
  async run({ scope, deviceId }) {
    const { settings } = await scope.record();
    return { settings: settingsView(settings), status: ok(`Settings of device ${deviceId} retrieved`) };
  },
});

/** `PUT /devices/{id}/settings` (docs/spec/devices.md, Settings): changes only the members given. */
export const updateSettings = operation({
  id: 'updateSettings',
  method: 'PUT',
  path: '/devices/{id}/settings',
  tag: 'Devices',
  summary: 'Update the settings of a device',
  description:
    'Changes only the given fields; `{}` changes nothing. An open session follows at once; with another `proxy` it reconnects.',
  body: {
    schema: UpdateSettingsSchema,
    examples: {
      online: { online: true },
      calls: { rejectCalls: 'Please write instead.' },
      proxy: { proxy: 'socks5://user:password@proxy.example:1080' },
    },
  },
  answer: answer({ settings: SettingsSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, scope, deviceId, body }) {
    const settings = await parts.devices.updateSettings(scope, settingsIn(body));
    return { settings: settingsView(settings), status: ok(`Settings of device ${deviceId} updated`) };
  },
});
