/** The OpenAPI 3.1 document, made from the operations and their schemas (docs/spec/http-interface.md, Endpoints). */
import { ErrorBook, errorSchemas } from './openapi-errors.ts';
import { answerExample, type Json, SchemaBook } from './openapi-schema.ts';
import { webhooksOf } from './openapi-webhooks.ts';
import { reasons } from '../../errors.ts';
import type { Declaration, Tag } from '../../contract/operation.ts';
import type { HttpOptions } from '../wire/services.ts';
import { StatusSchema } from '../../contract/build.ts';

const integerHeader = (description: string): Json => ({ description, schema: { type: 'integer' } });

const headers: Json = {
  'RateLimit-Limit': integerHeader('Requests a minute'),
  'RateLimit-Remaining': integerHeader('Requests left in this minute'),
  'RateLimit-Reset': integerHeader('Seconds until the oldest request of the window no longer counts'),
  'Retry-After': integerHeader('Seconds to wait before trying again'),
  'Handset-Reason': {
    description: Object.entries(reasons)
      .map(([word, meaning]) => `- \`${word}\`: ${meaning}`)
      .join('\n'),
    schema: { type: 'string', enum: Object.keys(reasons) },
  },
  'X-Request-Id': { description: 'Also in the log line of the request', schema: { type: 'string' } },
};

const headerRefs = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const rateHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'X-Request-Id'];

const headersOf = (code: number): Json => {
  const names = ['Handset-Reason', ...rateHeaders];
  return headerRefs(code === 429 || code === 503 ? ['Retry-After', ...names] : names);
};

/** A number as the example makes the parameter an integer, as answers have it. */
const pathMembers: Readonly<Record<string, readonly [description: string, example: string | number]>> = {
  callId: ['Id of the call, from the event `call`', 'C4EF381F45754B54117C0FCA0E31EB6A'],
  channel: ['JID of the channel, its link or the code of that', '120363012345678901@newsletter'],
  chat: ['Chat: the digits of a phone number, or a JID', '4915112345678'],
  code: ['Code of the invitation: the end of its link', 'Abcdefghij0123456789AB'],
  deliveryId: ['Delivery', 'dlv_00000001'],
  deviceId: ['Device', 1],
  eventId: ['Event', 'evt_000000010d48te3n01'],
  community: ['JID of the community', '120363025246125487@g.us'],
  group: ['JID of the group', '120363025246125486@g.us'],
  labelId: ['Label', '7'],
  keyId: ['Key', 1],
  messageId: ['Message', '3EB0C431C26A1916E07A'],
  statusId: ['Status', '3EB0C767D82C0A1B6F43'],
  number: ['Digits of the phone number', '4915112345678'],
  person: ['Person: the digits of a phone number, or a JID', '4915112345678'],
  serverId: ['Number of the post in its channel', 101],
  userId: ['User', 1],
  webhookId: ['Webhook', 'whk_00000001'],
};

const pathParameter = (name: string): Json => {
  if (name === 'id') return { $ref: '#/components/parameters/DeviceId' };
  const [description, example] = pathMembers[name] ?? [];
  const schema = typeof example === 'number' ? { type: 'integer', minimum: 1 } : { type: 'string' };
  return { name, in: 'path', required: true, description, schema, example };
};

const parametersOf = (op: Declaration, book: SchemaBook): readonly Json[] => {
  const names = [...op.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const query = (op.query ?? {}) as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return [
    ...names.map(pathParameter),
    ...Object.entries(query.properties ?? {}).map(([name, schema]) => {
      const { description, ...rest } = book.use(schema);
      const required = query.required?.includes(name) === true && { required: true };
      return { name, in: 'query', ...required, ...(description === undefined ? {} : { description }), schema: rest };
    }),
    ...Object.entries(op.headers ?? {}).map(([name, { description, schema }]) => ({
      name,
      in: 'header',
      description,
      schema: book.use(schema),
    })),
  ];
};

const fileContent: Json = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
  'multipart/form-data': {
    schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] },
  },
};

const requestBodyOf = (op: Declaration, book: SchemaBook): Json => {
  if (op.takesFile === true) return { requestBody: { required: true, content: fileContent } };
  if (op.body === undefined) return {};
  const examples = Object.fromEntries(Object.entries(op.body.examples).map(([name, value]) => [name, { value }]));
  const content = { 'application/json': { schema: book.use(op.body.schema), examples } };
  return { requestBody: { required: op.body.optional !== true, content } };
};

const successOf = (op: Declaration, book: SchemaBook): Json => {
  const json =
    op.answer === undefined ? {} : { 'application/json': { schema: book.use(op.answer), ...answerExample(op.id) } };
  const other = Object.fromEntries(
    (op.otherContent ?? []).map(({ type }) => [type, type.startsWith('text/') ? { schema: { type: 'string' } } : {}]),
  );
  const description = [op.summary, ...(op.otherContent ?? []).map((content) => content.description)].join('. ');
  return { description, headers: headerRefs(rateHeaders), content: { ...json, ...other } };
};

const partOf = (op: Declaration): Json => {
  const content = Object.fromEntries((op.otherContent ?? []).map(({ type }) => [type, {}]));
  const range = { description: 'Which bytes these are, of how many', schema: { type: 'string' } };
  const described = {
    description: 'The part that was asked for',
    headers: { ...headerRefs(rateHeaders), 'Content-Range': range },
  };
  return { 206: { ...described, content } };
};

const describe = (op: Declaration, book: SchemaBook, errors: ErrorBook): Json => ({
  operationId: op.id,
  tags: [op.tag],
  summary: op.summary,
  ...(op.description === undefined ? {} : { description: op.description }),
  ...(op.command !== null && { 'x-command': op.command }),
  ...(op.client && { 'x-client': op.client }),
  parameters: parametersOf(op, book),
  ...requestBodyOf(op, book),
  responses: {
    [op.success ?? 200]: successOf(op, book),
    ...(op.ranges === true ? partOf(op) : {}),
    ...errors.refs(op),
  },
});

const pathsOf = (operations: readonly Declaration[], book: SchemaBook, errors: ErrorBook): Json =>
  Object.fromEntries(
    [...Map.groupBy(operations, (op) => op.path)].map(([path, those]) => [
      path,
      Object.fromEntries(those.map((op) => [op.method.toLowerCase(), describe(op, book, errors)])),
    ]),
  );

const plain = (operationId: string, summary: string, type: string, schema: Json, more: Json = {}): Json => ({
  servers: [{ url: '/' }],
  get: {
    operationId,
    tags: ['Service'],
    summary,
    security: [],
    responses: {
      '200': { description: summary, content: { [type]: { schema } } },
      '4XX': {
        description: 'The request is malformed',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
      ...more,
    },
  },
});

const healthSchema: Json = { $ref: '#/components/schemas/Error' };

const outsideVersion1: Json = {
  '/health/live': plain('getLive', 'The process runs', 'application/json', healthSchema),
  '/health/ready': plain('getReady', 'The service can serve', 'application/json', healthSchema, {
    '503': { description: 'Not ready', content: { 'application/json': { schema: healthSchema } } },
  }),
  '/metrics': plain('getMetrics', 'Metrics for Prometheus', 'text/plain', { type: 'string' }),
};

/** Full paths, as some would equal those below `/v1`; with their own server and security. */
const adminPathsOf = (
  operations: readonly Declaration[],
  book: SchemaBook,
  errors: ErrorBook,
  publicUrl: string,
): Json =>
  Object.fromEntries(
    [...Map.groupBy(operations, (op) => op.path)].map(([path, those]) => [
      `/admin/v1${path}`,
      {
        servers: [{ url: publicUrl === '' ? '/' : publicUrl }],
        ...Object.fromEntries(
          those.map((op) => [op.method.toLowerCase(), { ...describe(op, book, errors), security: [{ operator: [] }] }]),
        ),
      },
    ]),
  );

const bearer = (description: string): Json => ({ type: 'http', scheme: 'bearer', description });

const tags: readonly (readonly [Tag, string])[] = [
  ['Devices', 'Each is a linked account: create and pair it, restart, disconnect or delete it'],
  ['Messages', 'Send messages of every kind, change and delete them, and read what was sent and received'],
  ['Chats', 'Chats and contacts of the account, and what people do between two messages: reading, typing, calls'],
  ['Groups', 'Groups of the account: who is in them, what they permit, and how people come in'],
  ['Statuses', 'Posts that the contacts of the account see for a day, and theirs'],
  ['Channels', 'Channels: those of the account and those that it follows, and their posts'],
  ['Events', 'What happened to a device, by pages or as a stream; the same is posted to its webhook'],
  ['Webhooks', 'Where events are posted, and how the deliveries fare'],
  ['Account', 'The caller’s limits, use and keys'],
  ['Service', 'Health, metrics and this document'],
  ['Operator', 'Users and their keys, with the admin token'],
];

export const openApiDocument = (
  operations: readonly Declaration[],
  adminOperations: readonly Declaration[],
  options: HttpOptions,
): Json => {
  const publicUrl = options.publicUrl ?? '';
  const admin = adminOperations.length > 0;
  const book = new SchemaBook();
  const errors = new ErrorBook(headersOf);
  book.use(StatusSchema);
  const paths = {
    ...pathsOf(operations, book, errors),
    ...adminPathsOf(adminOperations, book, errors, publicUrl),
    ...outsideVersion1,
  };
  const webhooks = webhooksOf(book);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Handset',
      version: 'v1.0.0',
      ...(options.version !== '' && { 'x-service-version': options.version }),
      description:
        'WhatsApp accounts as devices: link them, send and receive messages, keep chats and groups, and get every event by signed webhook or as a stream. Of several errors, the first of these is answered: 401, 429, 404 (device), then 400, 413 and 422.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${publicUrl}/v1` }],
    security: [{ bearer: [] }],
    tags: tags.filter(([name]) => admin || name !== 'Operator').map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        bearer: bearer('An API key: `hs_…`'),
        ...(admin ? { operator: bearer('The admin token') } : {}),
      },
      parameters: {
        DeviceId: {
          name: 'id',
          in: 'path',
          required: true,
          description: 'Device',
          schema: { type: 'integer', minimum: 1 },
        },
      },
      headers,
      responses: errors.components,
      schemas: { ...book.components, ...errorSchemas },
    },
  };
};
