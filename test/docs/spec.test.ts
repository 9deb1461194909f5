/** docs/spec is complete: it names every operation, event kind, error code and field of the interface. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { closedReasons, eventKinds, unavailableReasons } from '../../src/domain/event.ts';
import { messageTypes } from '../../src/domain/messages/parts.ts';
import { errorsOf } from '../../src/contract/errors.ts';
import { adminOperations, operations } from '../../src/contract/operations/all.ts';
import { KeySchema, ServiceSchema, UserSchema } from '../../src/contract/schemas/account.ts';
import { CreateDeviceSchema, DeviceSchema, UpdateDeviceSchema } from '../../src/contract/schemas/devices/device.ts';
import { eventData } from '../../src/contract/schemas/event.ts';
import { MessageSchema } from '../../src/contract/schemas/messages/message.ts';
import { SendTextSchema } from '../../src/contract/schemas/messages/send.ts';
import { SendMediaSchema } from '../../src/contract/schemas/messages/send-media.ts';
import { SessionSchema, PasskeySchema } from '../../src/contract/schemas/devices/session.ts';
import { PrimaryWebhookSchema, AttemptSchema, DeliverySchema } from '../../src/contract/schemas/webhook.ts';

const page = (name: string): string => readFileSync(join(import.meta.dirname, '../../docs/spec', name), 'utf8');

const fieldsOf = (schema: TSchema): readonly string[] =>
  'properties' in schema ? Object.keys(schema.properties!) : [];

/** Inside of backticks, alone or among others. */
const names = (text: string, word: string): boolean => new RegExp(`\`[^\`\n]*\\b${word}\\b[^\`\n]*\``).test(text);

const missing = (text: string, words: readonly string[]): readonly string[] =>
  words.filter((word) => !names(text, word));

test('http-interface.md and users.md name every operation', () => {
  const listed = page('http-interface.md');
  const absent = operations.filter(({ method, path }) => !listed.includes(`\`${method} ${path}\``));
  assert.deepEqual(
    absent.map(({ method, path }) => `${method} ${path}`),
    [],
  );
  const operator = page('users.md');
  const unnamed = adminOperations.filter(({ method, path }) => !operator.includes(`\`${method} ${path}\``));
  assert.deepEqual(
    unnamed.map(({ method, path }) => `${method} ${path}`),
    [],
  );
});

test('every field stands on the page of its subject', () => {
  const pages: Readonly<Record<string, readonly TSchema[]>> = {
    'devices.md': [DeviceSchema, CreateDeviceSchema, UpdateDeviceSchema, SessionSchema, PasskeySchema],
    'messages.md': [SendTextSchema, SendMediaSchema, MessageSchema],
    'events.md': Object.values(eventData).map(({ data }) => data),
    'webhooks.md': [PrimaryWebhookSchema, DeliverySchema, AttemptSchema],
    'users.md': [UserSchema, KeySchema, ServiceSchema],
  };
  for (const [name, schemas] of Object.entries(pages))
    assert.deepEqual(missing(page(name), schemas.flatMap(fieldsOf)), [], name);
});

test('every kind, type and reason is named', () => {
  assert.deepEqual(missing(page('events.md'), [...eventKinds, ...closedReasons]), []);
  assert.deepEqual(missing(page('messages.md'), [...messageTypes, ...unavailableReasons]), []);
});

test('the table of errors has every code that an operation can answer', () => {
  const text = page('http-interface.md');
  const codes = new Set([...operations, ...adminOperations].flatMap((operation) => [...errorsOf(operation).keys()]));
  for (const code of codes) assert.match(text, new RegExp(`^\\| ${code} \\|`, 'm'));
});
