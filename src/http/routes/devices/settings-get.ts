/** `GET /devices/{id}/settings` (docs/spec/devices.md, Settings). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { SettingsSchema, settingsView } from '../../schemas/devices/settings.ts';

export const getSettings = operation({
  id: 'getSettings',
  method: 'GET',
  path: '/devices/{id}/settings',
  tag: 'Devices',
  summary: 'Retrieve the settings of a device',
  answer: answer({ settings: SettingsSchema }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, deviceId }) {
    const { settings } = await parts.devices.owned(caller.user.id, deviceId);
    return { settings: settingsView(settings), status: ok(`Settings of device ${deviceId} retrieved`) };
  },
});
