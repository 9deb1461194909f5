/** Settings of a device in answers and in request bodies (docs/spec/devices.md, Settings). */
import { Type } from 'typebox';
import { members } from './build.ts';

const online = Type.Boolean({
  description:
    'Whether the account presents itself as online. While false, senders see one tick until the phone is online. While true, they see two ticks and "online", and the phone may stay silent about new messages',
  errorMessage: 'must be true or false',
});

export const SettingsSchema = Type.Object({ online }, { title: 'DeviceSettings', additionalProperties: false });

export const UpdateSettingsSchema = members({ online: Type.Optional(online) }, { title: 'UpdateDeviceSettings' });
