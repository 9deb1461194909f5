/** The device in answers and in request bodies (docs/spec/devices.md, Device). */
import { Type } from 'typebox';
import { oneOf, nameText, nullableText, timestamp, members } from '../../build.ts';
import { eventKinds } from '../../../domain/event.ts';
import { numberRule } from '../../../domain/jid.ts';
import { ProxySchema } from './settings.ts';

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
