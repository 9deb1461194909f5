/** Generated requests to the running service: every answer is one that the OpenAPI document describes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type Known, type Resolve, type Schema, fitting, named, oneOfEach, spoilt } from '../../support/arbitrary.ts';
import { shiftedClock } from '../../support/clock.ts';
import { type Installation, ownerKey, startInstallation } from '../../support/installation.ts';
import { closedSchemas } from '../../support/openapi.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { groupsFor } from './contract-groups.ts';
import { endings, messagesFor, pixel } from './contract-messages.ts';
import { statusesFor } from './contract-statuses.ts';
import { webhooksFor } from './contract-webhooks.ts';
import { ada, addPhones, bob, deviceBeforeGate, linkDevice, untilEvent, untilPasskey } from '../steps.ts';

/** A fixed seed gives the same requests each time; set it for others, and set the number for more. */
const seed = Number(process.env.CONTRACT_SEED ?? 7);
const numRuns = Number(process.env.CONTRACT_RUNS ?? 20);

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

interface Answer {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Op {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Answer['content'] };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Request {
  readonly values: readonly (string | null)[];
  readonly body: string | null;
  readonly accept: string;
  readonly key: string;
}

interface Stage {
  readonly document: Record<string, unknown>;
  readonly resolve: <T>(node: T) => T;
  readonly known: Known;
  /** Per operation, in place of `known`: another device than the others use, a message of another kind. */
  readonly own: Readonly<Record<string, Known>>;
  /** Body values per operation, in place of `known`. */
  readonly bodies: Readonly<Record<string, Known>>;
}

const media = (types: readonly string[], accept: string): boolean =>
  types.some((type) => accept.startsWith(type) || type === '*/*');

const lookUp = (document: unknown, node: unknown): unknown => {
  const { $ref } = (node ?? {}) as { $ref?: string };
  if ($ref === undefined) return node;
  const path = $ref.slice(2).split('/');
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
};

const takesFile = (op: Op): boolean => op.requestBody?.content?.['application/octet-stream'] !== undefined;

const requests = (op: Op, stage: Stage): fc.Arbitrary<Request> => {
  const resolve: Resolve = stage.resolve;
  const known: Known = { ...stage.known, ...stage.own[op.operationId] };
  const junk = fc.constantFrom('0', 'abc', '99999', '1.5', '%00', '-1', '1e3');
  const value = (given: Parameter): fc.Arbitrary<string | null> => {
    const { name, in: place, schema } = stage.resolve(given);
    const good = named(name, schema, resolve, known).map((one) => encodeURIComponent(String(one)));
    if (place === 'path') {
      // What is not known could be the key of the test itself.
      const values = (known[name] ?? []).map((one) => encodeURIComponent(String(one)));
      return fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: junk });
    }
    if (place === 'header')
      return fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, fc.stringMatching(/^[!-~]{1,40}$/));
    return fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: good }, junk);
  };
  const schema = op.requestBody?.content?.['application/json']?.schema;
  const any = schema === undefined ? null : fitting(schema, resolve, stage.bodies[op.operationId] ?? known);
  const good =
    any === null
      ? null
      : fc.oneof(
          {
            weight: 4,
            arbitrary: fc.tuple(any, fc.nat(3)).map(oneOfEach(known, Object.keys(resolve(schema!).properties ?? {}))),
          },
          { weight: 1, arbitrary: any },
        );
  const body = takesFile(op)
    ? fc.constantFrom('a file', '')
    : good === null
      ? fc.constant(null)
      : fc.oneof(
          { weight: 5, arbitrary: good.map((one) => JSON.stringify(one)) },
          { weight: 2, arbitrary: spoilt(good) },
        );
  const types = Object.keys((op.responses['200'] ?? op.responses['202']!).content ?? { 'application/json': {} });
  return fc.record({
    values: fc.tuple(...(op.parameters ?? []).map(value)).map((all) => [...all]),
    body,
    accept: fc.constantFrom(...types),
    key: fc.oneof({ weight: 30, arbitrary: fc.constant(ownerKey) }, { weight: 1, arbitrary: fc.constant('hs_no') }),
  });
};

const send = async (base: string, path: string, method: string, op: Op, stage: Stage, request: Request) => {
  const given = (op.parameters ?? []).map((one, index) => ({
    ...stage.resolve(one),
    value: request.values[index] ?? null,
  }));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => given.find((one) => one.name === name)?.value ?? '0');
  const query = given.flatMap(({ in: place, name, value }) =>
    place === 'query' && value !== null ? [`${name}=${value}`] : [],
  );
  const headers = new Headers({ authorization: `Bearer ${request.key}`, accept: request.accept });
  for (const { in: place, name, value } of given) if (place === 'header' && value !== null) headers.set(name, value);
  if (request.body !== null) headers.set('content-type', takesFile(op) ? 'text/plain' : 'application/json');
  const cut = new AbortController();
  const url = `${base}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const body = request.body === null || request.body === '' ? {} : { body: request.body };
  const response = await fetch(url, { method, headers, signal: cut.signal, ...body });
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = streams ? '' : await response.text();
  if (streams) cut.abort();
  return { response, text };
};

describe('the service answers as its document says', () => {
  let installation: Installation | undefined;
  let receiver: Receiver;
  let stage: Stage;
  let base: string;
  let gated: number;
  const clock = shiftedClock();
  let schemas: ReturnType<typeof closedSchemas>;
  const seen = new Map<string, Set<number>>();

  before(async () => {
    receiver = await startReceiver();
    installation = await startInstallation({ HANDSET_BOOTSTRAP_DEVICE_LIMIT: '7' }, undefined, clock);
    const running = installation;
    const { api: client, phones } = running;
    await addPhones(running);
    await phones.add('4915550003333', 'Cem');
    await phones.add('4915550004444', 'Dora');
    const linked = await linkDevice(running, ada, { webhookUrl: `${receiver.url}/hook` });
    const victim = await linkDevice(running, '4915550003333');
    await phones.add('4915550006666', 'Eve');
    await phones.behave('4915550006666', { linking: 'passkey' });
    gated = await deviceBeforeGate(running, '4915550006666');
    const { options } = (await client.get(`/devices/${gated}/passkey`)).body.passkey;
    const credential = await phones.passkey('4915550006666', options);
    await phones.add('4915550008877', 'Fred');
    const moved = await linkDevice(running, '4915550008877');
    const { files } = (await client.post(`/devices/${moved}/release`)).body;
    const spare: number = (await client.post('/devices')).body.device.id;
    const messages = await messagesFor(client, linked, bob);
    const webhooks = await webhooksFor(client, linked, receiver.url);
    const [messageId] = await phones.write(bob, { to: ada, imageBase64: pixel });
    const event = await untilEvent(running, linked, 'message.received');
    await receiver.until(3);
    const { deliveries } = (await client.get(`/devices/${linked}/deliveries`)).body;
    await webhooks.delivered();
    const keys = await Promise.all(['a', 'b', 'c'].map((name) => client.post('/keys', { name })));
    const groups = await groupsFor(phones, ada, bob);
    const statuses = await statusesFor(client, phones, linked, bob, pixel);
    const { callId } = await phones.request<{ callId: string }>('POST', `/phones/${bob}/call`, { to: ada });
    await untilEvent(running, linked, 'call');
    await phones.request('PATCH', `/phones/${bob}/profile`, { pictureBase64: pixel });
    await phones.behave(bob, { username: 'bob.baker' });
    const { jid, lid } = await phones.get(bob);
    const { body: document } = await client.get('/openapi.json');
    stage = {
      document,
      resolve: <T>(node: T): T => lookUp(document, node) as T,
      own: {
        getQr: { id: [spare] },
        getPasskey: { id: [gated] },
        respondToPasskey: { id: [gated] },
        confirmPasskey: { id: [gated] },
        updateDevice: { id: [spare] },
        restartDevice: { id: [victim] },
        disconnectDevice: { id: [victim] },
        adoptDevice: { files: [files] },
        releaseDevice: { id: [moved] },
        deleteDevice: { id: [victim] },
        ...messages.own,
        ...webhooks.own,
        ...groups.own,
        ...statuses.own,
      },
      known: {
        id: [linked],
        messageId: [messageId],
        eventId: [event.id],
        deliveryId: deliveries.map(({ id }: { id: string }) => id),
        keyId: keys.map(({ body }) => body.key.id),
        ...webhooks.known,
        toNumber: [bob],
        ...messages.known,
        to: [jid, lid],
        mediaBase64: [pixel],
        webhookUrl: [`${receiver.url}/other`],
        after: [event.id],
        chat: [jid],
        callId: [callId],
        count: [1, 20],
        about: ['Hello'],
        messageIds: [[messageId]],
        ...groups.known,
        person: [bob],
        number: ['4915550009999'],
        q: ['Bob'],
        quotedMessageId: [messageId],
        mentions: [[]],
        reaction: ['👍', null],
        numbers: [[bob]],
        usernames: [['bob.baker'], ['@bob.baker', 'fred:1234']],
        toUsername: ['bob.baker'],
        usernameKey: ['1234'],
        options: [['red', 'green']],
        maxAnswers: [1],
        phoneNumber: ['4915550004444'],
        expiresAt: ['2035-01-01T00:00:00Z'],
        devices: [[linked], null],
        actions: [['read'], null],
      },
      bodies: {
        ...statuses.bodies,
        updateChat: { archived: [true], unread: [false], mutedUntil: ['always', null], expiresInSeconds: [0, null] },
        respondToPasskey: { id: [credential.id], rawId: [credential.rawId], response: [credential.response] },
      },
    };
    base = `${running.handset.url}/v1`;
    schemas = closedSchemas(document);
  });
  after(async () => {
    await receiver.close();
    await installation?.[Symbol.asyncDispose]();
  });

  const check = async (path: string, method: string, op: Op, request: Request): Promise<void> => {
    const { response, text } = await send(base, path, method, op, stage, request);
    const { status } = response;
    const told = `${method} ${path} ${JSON.stringify(request)} → ${status} ${text.slice(0, 300)}`;
    const given = op.responses[String(status)];
    assert.ok(given !== undefined, `a status that is not documented: ${told}`);
    // The network refuses a pairing code for a number that nobody has.
    assert.ok(status < 500 || /could not be paired|Failed to restart/.test(text), told);
    seen.set(op.operationId, (seen.get(op.operationId) ?? new Set()).add(status));
    const answer = stage.resolve(given);
    for (const name of Object.keys(answer.headers ?? {})) assert.ok(response.headers.has(name), `${name}: ${told}`);
    const type = response.headers.get('content-type') ?? '';
    assert.ok(media(Object.keys(answer.content ?? {}), type), `${type}: ${told}`);
    const { $ref } = given as { $ref?: string };
    if (!type.startsWith('application/json') || answer.content?.['application/json']?.schema === undefined) return;
    const pointer =
      $ref === undefined
        ? ['paths', path, method.toLowerCase(), 'responses', String(status)]
        : $ref.slice(2).split('/');
    const errors = schemas.errors([...pointer, 'content', 'application/json'], JSON.parse(text));
    assert.deepEqual(errors, [], told);
  };

  it('for generated requests to every operation, good and bad', async () => {
    // The ceremony of the device before the gate, so late that it needs a code to compare.
    const first: Readonly<Record<string, () => unknown>> = {
      respondToPasskey: () => clock.ahead(301_000),
      confirmPasskey: () => untilPasskey(installation!, gated, 'confirm'),
      // The adopted devices have used up the limit.
      createDevice: () => installation!.api.delete(`/devices/${Number(stage.own['getQr']!['id']![0]) + 1}`),
    };
    const last = [...Object.keys(first), ...endings];
    const operations = Object.entries(stage.document.paths as Record<string, Record<string, Op>>)
      .filter(([path]) => !/^\/(?:health|metrics|admin)/.test(path))
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, op]) => ({ path, method: method.toUpperCase(), op })),
      )
      .sort((a, b) => last.indexOf(a.op.operationId) - last.indexOf(b.op.operationId));
    for (const { path, method, op } of operations) {
      await first[op.operationId]?.();
      const property = fc.asyncProperty(requests(op, stage), (request) => check(path, method, op, request));
      await fc.assert(property, { seed, numRuns, endOnFailure: true });
    }
    const succeeded = (id: string): boolean => [200, 202].some((code) => seen.get(id)?.has(code));
    const missed = operations.map(({ op }) => op.operationId).filter((id) => !succeeded(id));
    assert.deepEqual(missed, [], 'every operation succeeded at least once');
    const codes = new Set([...seen.values()].flatMap((set) => [...set]));
    for (const code of [400, 401, 403, 404]) assert.ok(codes.has(code), `no ${code} among the answers`);
  });
});
