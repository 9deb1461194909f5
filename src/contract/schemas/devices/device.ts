/** The device in answers and in request bodies (docs/spec/devices.md, Device). */
import { Type } from 'typebox';
import { oneOf, nameText, nullableText, timestamp, members, flag, nullableInteger, visibleName } from '../../build.ts';
import { eventKinds } from '../../../domain/event.ts';
import { numberRule } from '../../../domain/jid.ts';

const kinds = (description: string) =>
  Type.Array(oneOf(eventKinds, { title: 'EventKind' }), {
    description,
    errorMessage: 'must be an array of event kinds',
  });

const subscription = {
  description: '`inactive` stops the session and keeps the authentication data; `active` starts it again',
  errorMessage: 'must be active or inactive',
};

const name = nameText('User-friendly device name');

const urlRule = {
  minLength: 1,
  maxLength: 2048,
  description: 'URL that receives events: https:// or http://, at most 2,048 characters',
};

const PhoneNumberSchema = Type.String({
  pattern: '^\\d{8,15}$',
  description: 'Pair by a code instead of a QR: digits only, country code included, no `+`, no spaces',
  errorMessage: `must be ${numberRule}`,
  examples: ['4915112345678'],
});

export const DeviceSchema = Type.Object(
  {
    id: Type.Integer({ description: 'Unique device identifier' }),
    name: Type.String({ description: 'User-friendly device name' }),
    status: oneOf(['connected', 'qr', 'timeout'], {
      description: '`qr`: a pairing is under way; `connected`: linked, and the session is open; `timeout`: neither',
    }),
    qr: nullableText({
      description: 'The QR as a data URL (`data:image/png;base64,…`) while `status` is `qr`; null when connected',
    }),
    webhookUrl: nullableText({ description: 'URL that receives events; null when no webhook is configured' }),
    webhookEvents: kinds('Event kinds sent to the webhook'),
    messagesSent: Type.Integer({ description: 'Messages that the network has accepted' }),
    subscription_status: oneOf(['active', 'inactive'], { description: subscription.description }),
    createdAt: timestamp('Creation time'),
  },
  { title: 'Device', additionalProperties: false },
);

const maxProxyLength = 2_048;

export const ProxySchema = nullableText({
  maxLength: maxProxyLength,
  description:
    'URL of the proxy through which the device connects: `http:`, `https:` or `socks5:`, with user name and password where it wants them. They are kept sealed and never shown; the URL as it is shown keeps them. Null: it connects directly',
  examples: ['http://proxy.example:3128'],
  errorMessage: `must be a URL of at most ${maxProxyLength} characters, or null`,
});

const settings = {
  online: flag(
    'Whether the account presents itself as online, which it does not by default. While false, senders see one tick until the phone is online. While true, they see two ticks and "online", and the phone may stay silent about new messages',
  ),
  readReceipts: flag(
    'Whether writers see that their messages were read, once they are marked as read. True by default',
  ),
  rejectCalls: Type.Unsafe<boolean | string>({
    type: ['boolean', 'string'],
    minLength: 1,
    maxLength: 4_096,
    description: 'Rejects all incoming calls; a text is sent to the caller as a message. False by default',
    errorMessage: 'must be true, false, or a text of 1 to 4,096 characters',
  }),
  presence: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: 100,
    description:
      'Chats whose presence (online, typing) is followed by the event `chat.presence`: JIDs or phone numbers, at most 100. The network reports it only while the account is `online`',
    errorMessage: 'must be at most 100 JIDs or phone numbers',
  }),
  history: oneOf(['none', 'recent', 'full'], {
    description:
      'Messages that the phone hands over after the next pairing: none (the default), those of recent chats, or all',
    errorMessage: 'must be one of none, recent, full',
  }),
  newChatsPerDay: nullableInteger({
    minimum: 0,
    maximum: 100_000,
    description:
      'How many new chats the device may begin on a day (UTC); a send that would begin one more is refused with 429. Null (the default): no ceiling of its own',
    errorMessage: 'must be a whole number from 0 to 100,000, or null',
  }),
  media: oneOf(['network', 'kept'], {
    description:
      'Where the media of received messages is: with the network (the default), which drops it after some weeks, or kept here, fetched as it comes, for as long as messages are',
    errorMessage: 'must be one of network, kept',
  }),
  statuses: oneOf(['none', 'received'], {
    description:
      'Whether the statuses of contacts are read and told by events, with who looks at those of the account. By default they are not: they are acknowledged and dropped',
    errorMessage: 'must be one of none, received',
  }),
  channels: oneOf(['none', 'own', 'followed'], {
    description:
      'Of which channels posts and changes are told by events: none, those that the account administers, or all that it follows as well. By default none: their posts are acknowledged and dropped',
    errorMessage: 'must be one of none, own, followed',
  }),
  proxy: ProxySchema,
};

const maxStopWords = 50;

const stopWords = Type.Array(visibleName(100), {
  maxItems: maxStopWords,
  description:
    'A person who writes only one of these words in private is added to the suppression list. Case and accents make no difference',
  errorMessage: `must be at most ${maxStopWords} texts of 1 to 100 characters, at least one of them visible`,
});

export const SettingsSchema = Type.Object(
  { ...settings, stopWords },
  { title: 'DeviceSettings', additionalProperties: false },
);

export const UpdateSettingsSchema = members(
  {
    online: Type.Optional(settings.online),
    readReceipts: Type.Optional(settings.readReceipts),
    rejectCalls: Type.Optional(settings.rejectCalls),
    presence: Type.Optional(settings.presence),
    history: Type.Optional(settings.history),
    newChatsPerDay: Type.Optional(settings.newChatsPerDay),
    stopWords: Type.Optional(stopWords),
    media: Type.Optional(settings.media),
    statuses: Type.Optional(settings.statuses),
    channels: Type.Optional(settings.channels),
    proxy: Type.Optional(settings.proxy),
  },
  { title: 'UpdateDeviceSettings' },
);

export const CreateDeviceSchema = members(
  {
    name: Type.Optional(name),
    webhookUrl: Type.Optional(Type.String({ ...urlRule, errorMessage: 'must be a URL of at most 2,048 characters' })),
    webhookEvents: Type.Optional(kinds('Events to send; all kinds when left out')),
    phoneNumber: Type.Optional(PhoneNumberSchema),
    proxy: Type.Optional(ProxySchema),
  },
  { title: 'CreateDevice' },
);

export const SessionFilesSchema = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Contents of the files by their names, like `creds.json` and `pre-key-1.json`',
  errorMessage: 'must be an object of file contents by name',
});

export const AdoptDeviceSchema = members(
  {
    files: SessionFilesSchema,
    name: Type.Optional(name),
    webhookUrl: Type.Optional(Type.String({ ...urlRule, errorMessage: 'must be a URL of at most 2,048 characters' })),
    webhookEvents: Type.Optional(kinds('Events to send; all kinds when left out')),
    proxy: Type.Optional(ProxySchema),
  },
  { title: 'AdoptDevice' },
);

export const AdoptedSchema = Type.Object(
  {
    sessions: Type.Integer({ description: 'Encryption sessions with devices of people' }),
    groupKeys: Type.Integer({ description: 'Keys of members of groups' }),
    preKeys: Type.Integer({
      description: 'One-time keys by which people begin sessions; more are made when none are left',
    }),
    appStateKeys: Type.Integer({ description: 'Keys of the application state; without one the phone is asked' }),
    skipped: Type.Integer({ description: 'Files that are damaged or of no known kind' }),
  },
  { title: 'Adopted' },
);

export const UpdateDeviceSchema = members(
  {
    name: Type.Optional(name),
    webhookUrl: Type.Optional(
      Type.Unsafe<string | null>({
        ...urlRule,
        type: ['string', 'null'],
        description: `${urlRule.description}; null disables the webhook`,
        errorMessage: 'must be a URL of at most 2,048 characters, or null',
      }),
    ),
    webhookEvents: Type.Optional(kinds('Events to send')),
    subscription_status: Type.Optional(oneOf(['active', 'inactive'], subscription)),
  },
  { title: 'UpdateDevice' },
);

export const RestartDeviceSchema = members(
  { phoneNumber: Type.Optional(PhoneNumberSchema) },
  { title: 'RestartDevice' },
);
