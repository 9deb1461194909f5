/** The OpenAPI document: valid, complete, and true of what the server answers (docs/spec/http-interface.md, Endpoints). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Report, SessionChanges } from '../../src/domain/changes.ts';
import type { MessageRecord } from '../../src/domain/message.ts';
import { noMediaDetails } from '../../src/domain/messages/parts.ts';
import { eventKinds } from '../../src/domain/event.ts';
import recorded from '../../src/http/openapi/examples.json' with { type: 'json' };
import { operations } from '../../src/contract/operations/all.ts';
import { eventData } from '../../src/contract/schemas/event.ts';
import { api } from '../support/api.ts';
import { groupCalls } from '../support/groups.ts';
import { type Harness, withHttp } from './harness.ts';
import { addLabel, addStatuses, messageTour, waitingFor } from './messages.tour.ts';
import { type Hooks, hooksFor, webhookTour } from './webhooks.tour.ts';

type Json = Record<string, unknown>;
const documentOf = async ({ api: client }: Harness): Promise<Json> => (await client.get('/openapi.json')).body;

const at = (document: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((node, name) => (node as Json | undefined)?.[name], document);

/** docs/spec/http-interface.md, Endpoints: the errors of each. */
const contract = {
  'POST /devices': [400, 401, 403, 408, 413, 429, 500],
  'GET /devices': [401, 408, 429, 500],
  'GET /devices/{id}': [401, 404, 408, 429, 500],
  'PUT /devices/{id}': [400, 401, 404, 408, 413, 429, 500],
  'POST /devices/{id}/restart': [400, 401, 404, 408, 413, 429, 500],
  'POST /devices/{id}/disconnect': [401, 404, 408, 429, 500],
  'DELETE /devices/{id}': [401, 404, 408, 429, 500],
  'POST /devices/{id}/messages/text': [400, 401, 404, 408, 413, 422, 429, 500],
  'POST /devices/{id}/messages/media': [400, 401, 404, 408, 413, 422, 429, 500],
};

test(
  'the document is valid OpenAPI 3.1, and every reference leads somewhere',
  withHttp(async (http) => {
    const document = await documentOf(http);
    const result = await new Validator().validate(structuredClone(document));
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
    assert.equal(document.openapi, '3.1.0');
    const text = JSON.stringify(document);
    for (const [, pointer] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      assert.ok(at(document, ...pointer!.split('/')) !== undefined, pointer);
    }
    assert.ok(!text.includes('errorMessage'));
    const open = await api(http.url, null).get('/openapi.json');
    assert.deepEqual(open.body, document, 'the same without a key, outside /v1');
  }),
);

test(
  'it has every operation of the contract with all its errors, and the webhooks',
  withHttp(async (http) => {
    const document = await documentOf(http);
    for (const [route, errors] of Object.entries(contract)) {
      const [method = '', path = ''] = route.split(' ');
      const responses = at(document, 'paths', path, method.toLowerCase(), 'responses') as Json;
      for (const code of [200, ...errors]) assert.ok(responses[String(code)] !== undefined, `${route} ${code}`);
    }
    assert.deepEqual(Object.keys(document.webhooks as Json), [...eventKinds, 'test']);
    const ids = operations.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const op of operations) assert.ok(at(document, 'paths', op.path, op.method.toLowerCase()), op.id);
  }),
);

test('the examples of request bodies are what the schemas take', () => {
  for (const { id, body } of operations) {
    for (const [name, example] of Object.entries(body?.examples ?? {})) {
      assert.ok(Compile(body!.schema).Check(example), `${id} ${name}`);
    }
  }
});

/** The schema with nothing beside its members, all the way down. */
const closed = (schema: unknown): TSchema => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema as TSchema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in copy ? { ...copy, additionalProperties: false } : copy;
};

const text = { toNumber: '4915112345678', message: 'x' };

test('the comparison with a closed schema finds what does not belong', () => {
  const schema = Compile(closed(operations.find(({ id }) => id === 'getDevice')!.answer));
  assert.notDeepEqual(schema.Errors({ device: {}, status: { code: 200, message: 'x' } }), []);
  const { device, status } = recorded.answers.getDevice;
  assert.notDeepEqual(schema.Errors({ device: { ...device, more: 1 }, status }), []);
  assert.deepEqual(schema.Errors({ device, status }), []);
});

const credential = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
};

const person = { jid: '4915112345678@s.whatsapp.net', number: '4915112345678', lid: null };
const place = { latitude: 1, longitude: 2, name: 'x', address: null, live: false, accuracyMeters: 3 };
const noSource = { sourceId: null, sourceUrl: null, title: null, body: null, mediaUrl: null };
const referral = { sourceType: 'ad', clickId: 'x', ...noSource };
const wholeId = 'WHOLE';

/** A message with every part that a message can have. */
const wholeMessage = (sent: MessageRecord): SessionChanges => ({
  messages: [
    {
      ...sent,
      id: wholeId,
      editedAt: 5,
      media: {
        mimetype: 'x/y',
        bytes: 1,
        sha256: 'x',
        fileName: 'x',
        ...noMediaDetails,
        waveform: [1],
      },
      parts: {
        quoted: { id: 'Q', from: person, type: 'text', text: 'x' },
        mentions: [person],
        forwarded: { times: 1 },
        expiresInSeconds: 5,
        location: place,
        contacts: [{ name: 'x', numbers: ['1'], organization: null, vcard: '' }],
        poll: { question: 'x', options: ['y'], maxAnswers: 1 },
        selection: { id: 'x', text: null },
        referral,
        link: { url: 'https://x', title: null, description: null },
        event: {
          name: 'x',
          description: null,
          startsAt: Date.UTC(2027, 0),
          endsAt: null,
          place,
          canceled: true,
        },
        groupInvite: { group: '1@g.us', subject: 'x', code: 'x', expiresAt: null },
      },
    },
  ],
  contacts: [{ jid: sent.chat, pushName: 'x' }],
  annotations: [
    { kind: 'reaction' as const, reaction: 'x' },
    { kind: 'vote' as const, votes: [{ option: 'y' }] },
    { kind: 'played' as const },
  ].map((deed) => ({ messageId: wholeId, chat: sent.chat, chatLid: null, from: person, at: 1, deed })),
});

const caller = { from: '1@lid', fromNumber: null, fromLid: '1@lid' };
const call = { callId: 'RINGING', ...caller, isVideo: false, isGroup: false } as const;
const ring = (status: 'offer' | 'timeout'): Report => ({ event: { type: 'call', data: { ...call, status } }, at: 1 });

/** A call of every operation that answers in JSON; run in this order. */
const tour = (
  id: number,
  fresh: number,
  gated: number,
  messageId: string,
  delivery: { id: string; eventId: string },
  keyId: number,
  hooks: Hooks,
  moved: number,
  waitingId: string,
) =>
  ({
    createDevice: [{ phoneNumber: '4915112345678' }],
    listDevices: ['?limit=1'],
    getDevice: [id],
    updateDevice: [id, { name: 'x' }],
    restartDevice: [fresh, { phoneNumber: '4915112345678' }],
    getSession: [id],
    getSettings: [id],
    getLimits: [id],
    updateSettings: [id, { online: true }],
    getPasskey: [gated],
    respondToPasskey: [gated, credential],
    confirmPasskey: [gated],
    uploadFile: [id, text],
    sendText: [id, text],
    sendMedia: [id, { toNumber: '4915112345678', mediaBase64: 'iVBORwE=' }],
    sendVideo: [id, { toNumber: '4915112345678', mediaBase64: 'YQ==', gif: true }],
    sendAudio: [id, { toNumber: '4915112345678', mediaBase64: 'YQ==', voice: true }],
    sendAlbum: [id, { toNumber: '4915112345678', items: [{ mediaBase64: 'iVBORwE=' }, { mediaBase64: 'iVBORwE=' }] }],
    sendSticker: [id, { toNumber: '4915112345678', mediaBase64: 'YQ==' }],
    sendDocument: [id, { toNumber: '4915112345678', mediaBase64: 'YQ==', fileName: 'a' }],
    sendLocation: [id, { toNumber: '4915112345678', latitude: 1, longitude: 2 }],
    sendContact: [id, { toNumber: '4915112345678', contacts: [{ name: 'x', numbers: ['4915112345678'] }] }],
    sendPoll: [id, { toNumber: '4915112345678', question: 'x', options: ['y', 'z'] }],
    updateChat: [id, {}, text.toNumber],
    clearChat: [id, undefined, text.toNumber],
    loadHistory: [id, { count: 1 }, text.toNumber],
    lookUpNumbers: [id, '?numbers=4915112345678'],
    lookUpUsernames: [id, { usernames: ['some.body'] }],
    updateContact: [id, { blocked: true }, text.toNumber],
    getProfile: [id],
    updateProfile: [id, { about: 'x' }],
    setProfilePicture: [id, { mediaBase64: 'iVBORwE=' }],
    removeProfilePicture: [id],
    setTyping: [id, { state: 'text' }, text.toNumber],
    markRead: [id, {}, text.toNumber],
    rejectCall: [id, undefined, call.callId],
    listMessages: [id],
    getMessage: [id, undefined, messageId],
    getMessagePoll: [id, undefined, wholeId],
    getMessageReceipts: [id, undefined, wholeId],
    ...messageTour(id, messageId, waitingId),
    listChats: [id],
    getChat: [id, '4915112345678'],
    listContacts: [id],
    ...groupCalls(id, text.toNumber),
    getContact: [id, '4915112345678'],
    listEvents: [id],
    getEvent: [id, undefined, delivery.eventId],
    getWebhook: [id],
    rotateWebhookSecret: [id],
    testWebhook: [id],
    listDeliveries: [id],
    listAttempts: [id, undefined, delivery.id],
    retryDelivery: [id, undefined, delivery.id],
    retryFailedDeliveries: [id],
    createSuppression: [{ number: '4915110009999', reason: 'x' }],
    listSuppressions: [],
    deleteSuppression: [undefined, undefined, '4915110009999'],
    ...webhookTour(id, hooks),
    listKeys: [],
    createKey: [{ name: 'x' }],
    updateKey: [{ expiresAt: null }, String(keyId)],
    revokeKey: [undefined, undefined, String(keyId)],
    getMe: [],
    listAccounts: [],
    getUsage: [],
    getDeviceUsage: [id],
    disconnectDevice: [id],
    adoptDevice: [{ files: { 'creds.json': '{}' } }],
    releaseDevice: [moved],
    deleteDevice: [id],
  }) as const;

test(
  'what the server answers is what the document says, member for member',
  withHttp(async (http) => {
    const { id } = (await http.api.post('/devices', { webhookUrl: 'https://example.com/hook' })).body.device;
    await http.network.link(id, '4915110000000');
    const { messageId } = (await http.api.post(`/devices/${id}/messages/text`, text)).body;
    const delivery = (await http.api.get(`/devices/${id}/deliveries`)).body.deliveries[0];
    await http.stores.changes.commit(id, wholeMessage((await http.stores.messages.find(id, messageId))!));
    await http.stores.changes.commit(id, { facts: [ring('timeout')] });
    const key = (await http.api.post('/keys', { name: 'y' })).body.key.id;
    const hooks = await hooksFor(http, id, () => http.stores.changes.commit(id, { facts: [ring('offer')] }));
    const gated = await http.device();
    http.network.askForPasskey(gated);
    const moved = await http.linked();
    await http.stores.changes.commit(moved, { credentials: new Uint8Array(1) });
    const waitingId = await waitingFor(http, id, text);
    await Promise.all([addLabel(http, id), addStatuses(http, id)]);
    const calls = tour(id, await http.device(), gated, messageId, delivery, key, hooks, moved, waitingId);
    const withJson = operations.filter(({ answer }) => answer !== undefined);
    assert.deepEqual(Object.keys(calls).sort(), withJson.map((op) => op.id).sort());
    for (const [name, given] of Object.entries(calls)) {
      const op = operations.find((one) => one.id === name)!;
      const parts: readonly unknown[] = given;
      const device = parts.find((part) => typeof part === 'number');
      const body = parts.find((part) => typeof part === 'object');
      const tails = parts.filter((part) => typeof part === 'string');
      const query = tails.find((tail) => tail.startsWith('?')) ?? '';
      const path = op.path.replace('{id}', String(device)).replaceAll(/\{\w+\}/g, () => tails.shift() ?? '') + query;
      const answer = await http.api.call(op.method, path, body);
      assert.equal(answer.status, op.success ?? 200, `${name}: ${JSON.stringify(answer.body)}`);
      const errors = Compile(closed(op.answer)).Errors(answer.body);
      assert.deepEqual(errors, [], name);
    }
  }),
);

test(
  'events carry the data that the document gives for their kind',
  withHttp(async (http) => {
    const id = await http.linked();
    await http.api.post(`/devices/${id}/messages/text`, text);
    await http.api.post(`/devices/${id}/restart`);
    await http.api.post(`/devices/${id}/disconnect`);
    const { events } = (await http.api.get(`/devices/${id}/events`)).body;
    const kinds = new Set<string>();
    for (const event of events as { type: keyof typeof eventData; data: unknown }[]) {
      kinds.add(event.type);
      assert.deepEqual(Compile(closed(eventData[event.type].data)).Errors(event.data), [], event.type);
    }
    for (const kind of ['connection.auth', 'connection.open', 'connection.closed', 'connection.logout'])
      assert.ok(kinds.has(kind), `${kind} is among ${[...kinds].join(', ')}`);
  }),
);
