/** Settings of a device in answers and in request bodies (docs/spec/devices.md, Settings). */
import { type Static, Type } from 'typebox';
import { parseChat } from '../../domain/chats/address.ts';
import type { DeviceSettings } from '../../domain/device.ts';
import { members, oneOf } from './build.ts';

const flag = (description: string) => Type.Boolean({ description, errorMessage: 'must be true or false' });

const settings = {
  online: flag(
    'Whether the account presents itself as online. While false, senders see one tick until the phone is online. While true, they see two ticks and "online", and the phone may stay silent about new messages',
  ),
  readReceipts: flag('Whether writers see that their messages were read, once they are marked as read'),
  rejectCalls: Type.Unsafe<boolean | string>({
    type: ['boolean', 'string'],
    minLength: 1,
    maxLength: 4_096,
    description: 'Rejects all incoming calls; a text is sent to the caller as a message',
    errorMessage: 'must be true, false, or a text of 1 to 4,096 characters',
  }),
  presence: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: 100,
    description:
      'Chats whose presence is followed by the event `chat.presence`: JIDs or phone numbers, at most 100. The network tells it only while the account is `online`',
    errorMessage: 'must be at most 100 JIDs or phone numbers',
  }),
  history: oneOf(['none', 'recent', 'full'], {
    description: 'Messages that the phone hands over after the next pairing: none, those of recent chats, or all',
    errorMessage: 'must be one of none, recent, full',
  }),
};

export const SettingsSchema = Type.Object(settings, { title: 'DeviceSettings', additionalProperties: false });

export const UpdateSettingsSchema = members(
  {
    online: Type.Optional(settings.online),
    readReceipts: Type.Optional(settings.readReceipts),
    rejectCalls: Type.Optional(settings.rejectCalls),
    presence: Type.Optional(settings.presence),
    history: Type.Optional(settings.history),
  },
  { title: 'UpdateDeviceSettings' },
);

type Given = Readonly<Omit<Static<typeof UpdateSettingsSchema>, 'presence'>> & {
  readonly presence?: readonly string[];
};

/** The settings of a body, chats as JIDs. Throws InvalidRequest for what is no chat. */
export const settingsIn = ({ presence, ...given }: Given): Partial<DeviceSettings> =>
  presence === undefined
    ? given
    : { ...given, presence: [...new Set(presence.map((chat) => parseChat(chat, 'presence')))] };

export const settingsView = ({ presence, ...others }: DeviceSettings): Static<typeof SettingsSchema> => ({
  ...others,
  presence: [...presence],
});
