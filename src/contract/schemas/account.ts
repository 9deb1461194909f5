/** Users, API keys and suppressions as callers see them (docs/spec/users.md). */
import { Type } from 'typebox';
import { timestamp, nullableTimestamp, members, nameText, timestampMember, nullableText, oneOf } from '../build.ts';
import { numberRule } from '../../domain/jid.ts';
import { type KeyAction, keyActions } from '../../domain/user.ts';

const devices = Type.Unsafe<readonly number[] | null>({
  type: ['array', 'null'],
  items: { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
  minItems: 1,
  maxItems: 1_000,
  uniqueItems: true,
  description: 'Ids of the devices that the key reaches; others do not exist for it. Null: all',
  errorMessage: 'must be an array of 1 to 1,000 device ids, or null',
});

const actions = Type.Unsafe<readonly KeyAction[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', enum: [...keyActions] },
  minItems: 1,
  uniqueItems: true,
  description:
    'What the key may do: `read` what there is, `send` (messages, reactions, marks), `manage` (devices, settings, groups, profile, webhooks with their secrets), `admin` (keys, account-wide webhooks). Null: all',
  errorMessage: 'must be an array of read, send, manage and admin, or null',
});

const keyMembers = {
  id: Type.Integer(),
  name: Type.String(),
  hint: Type.String({ description: 'The last four characters' }),
  createdAt: timestamp('When it was made'),
  lastUsedAt: nullableTimestamp('When it was last used, to the minute'),
  expiresAt: nullableTimestamp('When it expires; null: never'),
  revokedAt: nullableTimestamp('When it was revoked'),
  devices,
  actions,
};

export const KeySchema = Type.Object(keyMembers, { title: 'ApiKey' });

export const NewKeySchema = Type.Object(
  { ...keyMembers, secret: Type.String({ description: 'The key itself, shown only once', examples: ['hs_…'] }) },
  { title: 'NewApiKey' },
);

export const CreateKeySchema = members(
  {
    name: nameText('What the key is for'),
    expiresAt: Type.Optional(timestampMember('When the key expires; never by default')),
    devices: Type.Optional(devices),
    actions: Type.Optional(actions),
  },
  { title: 'CreateKey' },
);

export const UpdateKeySchema = members(
  {
    expiresAt: Type.Optional(
      nullableText({
        format: 'date-time',
        description: 'When the key expires; null: never. A time in the past ends it now',
        errorMessage: 'must be an RFC 3339 timestamp, or null',
      }),
    ),
    devices: Type.Optional(devices),
    actions: Type.Optional(actions),
  },
  { title: 'UpdateKey' },
);

export const updateKeyExamples = {
  limit: { devices: [1], actions: ['read'] },
  end: { expiresAt: '2030-01-01T00:00:00Z' },
  forever: { expiresAt: null },
};

export const createKeyExamples = {
  forever: { name: 'ci' },
  limited: { name: 'bot', devices: [1], actions: ['read', 'send'] },
  expiring: { name: 'contractor', expiresAt: '2030-01-01T00:00:00Z' },
};

export const UserSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    deviceLimit: Type.Integer({ description: 'Number of active devices that the subscription allows' }),
    activeDevices: Type.Integer({ description: 'Number of devices that count against the limit now' }),
    rateLimit: Type.Integer({ description: 'Requests per minute' }),
    createdAt: timestamp('When the user was made'),
  },
  { title: 'User' },
);

const userMembers = {
  name: nameText('Unique'),
  deviceLimit: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'Number of active devices that the subscription allows',
    errorMessage: 'must be a whole number from 0 to 1,000,000',
  }),
};

export const CreateUserSchema = members(userMembers, { title: 'CreateUser' });

export const UpdateUserSchema = members(
  { name: Type.Optional(userMembers.name), deviceLimit: Type.Optional(userMembers.deviceLimit) },
  { title: 'UpdateUser' },
);

const ClientVersionSchema = Type.Object(
  {
    version: Type.String({ description: "Version of the network's web client", examples: ['2.3000.1043857760'] }),
    source: oneOf(['bundled', 'stored', 'fetched', 'pinned'], {
      description:
        "`bundled` with this release, `stored` from an earlier run, `fetched` from the network's page, or `pinned` by the operator",
    }),
    ageDays: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Days since it was published or first seen; null if unknown',
    }),
    expiresAt: nullableTimestamp('From when on the network refuses it; null: the network has named no date'),
    checkedAt: nullableTimestamp("When the network's pages were last read; null: not since the start"),
    problem: nullableText({ description: "Why the network's pages could not be read; null if one could" }),
    warning: nullableText({ description: 'Advice for the operator; null if there is none' }),
  },
  { title: 'ClientVersion' },
);

const NetworkReachSchema = Type.Object(
  {
    reachable: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether the network can be reached; null: not checked yet',
    }),
    problem: nullableText({ description: 'Why the network cannot be reached; null if it can' }),
    checkedAt: nullableTimestamp('When it was last looked at'),
  },
  { title: 'NetworkReach' },
);

export const ServiceSchema = Type.Object(
  {
    version: Type.String(),
    network: oneOf(['whatsapp', 'sandbox'], { description: '`sandbox`: nothing reaches the real network' }),
    sandboxControlUrl: nullableText({ description: 'Control interface of the sandbox; null on the real network' }),
    client: Type.Union([ClientVersionSchema, Type.Null()], {
      description: 'Client version that the service reports to the network; null if unknown',
    }),
    reach: NetworkReachSchema,
  },
  { title: 'Service' },
);

export const SuppressionSchema = Type.Object(
  {
    number: nullableText({ description: 'Digits of the phone number; null where only the LID is known' }),
    lid: nullableText({ description: 'LID, where it is known' }),
    reason: nullableText(),
    source: oneOf(['request', 'stopWord'], { description: '`stopWord`: the person wrote a stop word' }),
    createdAt: timestamp('When the person was listed'),
  },
  { title: 'Suppression' },
);

export const CreateSuppressionSchema = members(
  {
    number: Type.String({
      pattern: '^[0-9]{8,15}$',
      description: 'Digits of the phone number, country code included',
      errorMessage: `must be ${numberRule}`,
    }),
    reason: Type.Optional(
      nullableText({
        minLength: 1,
        maxLength: 500,
        pattern: '^[^\\u0000]+$',
        description: 'A note for yourself',
        errorMessage: 'must be a string of 1 to 500 characters, none of them U+0000, or null',
      }),
    ),
  },
  { title: 'CreateSuppression' },
);

const number = (description: string) => Type.Integer({ minimum: 0, description });

export const UsageSchema = Type.Object(
  {
    from: timestamp('Start of the interval (UTC)'),
    sent: number('Messages that the network took, from the API and from the other devices of the account'),
    received: number('Messages that came in'),
    failed: number('Messages that could not be sent'),
    deliveries: Type.Object({
      delivered: number('Events of that time that webhooks have taken'),
      pending: number('Events of that time that wait for a webhook'),
      failed: number('Events of that time that no webhook took'),
    }),
    failedPosts: number('Posts to webhooks that failed in that time, whatever became of their events'),
  },
  { title: 'Usage' },
);

export const usageParameters = {
  by: Type.Optional(
    oneOf(['hour', 'day'], {
      description: 'Length of the intervals, `hour` by default',
      errorMessage: 'must be hour or day',
    }),
  ),
  since: Type.Optional(timestampMember('From this time on; 24 hours or 30 days ago by default')),
  until: Type.Optional(timestampMember('Up to this time; now by default')),
};
