/** Settings of a device in answers and in request bodies (docs/spec/devices.md, Settings). */
import { nullableText, flag, oneOf, nullableInteger, members } from '../../build.ts';
import { Type } from 'typebox';

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
      'Chats whose presence is followed by the event `chat.presence`: JIDs or phone numbers, at most 100. The network reports it only while the account is `online`',
    errorMessage: 'must be at most 100 JIDs or phone numbers',
  }),
  history: oneOf(['none', 'recent', 'full'], {
    description: 'Messages that the phone hands over after the next pairing: none, those of recent chats, or all',
    errorMessage: 'must be one of none, recent, full',
  }),
  newChatsPerDay: nullableInteger({
    minimum: 0,
    maximum: 100_000,
    description:
      'How many new chats the device may begin on a day (UTC); a send that would begin one more is refused with 429. Null: no ceiling of its own',
    errorMessage: 'must be a whole number from 0 to 100,000, or null',
  }),
  media: oneOf(['network', 'kept'], {
    description:
      'Where the media of received messages is: with the network, which drops it after some weeks, or kept here, fetched as it comes, for as long as messages are',
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

const stopWords = Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$' }), {
  maxItems: maxStopWords,
  description:
    'A person who writes only one of these words in private is added to the suppression list. Case and accents make no difference',
  errorMessage: `must be at most ${maxStopWords} texts of 1 to 100 characters, not only blanks`,
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
