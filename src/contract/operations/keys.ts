/** API keys of the caller (docs/spec/users.md, API keys). */
import { answer } from '../build.ts';
import { Type } from 'typebox';
import {
  KeySchema,
  CreateKeySchema,
  createKeyExamples,
  NewKeySchema,
  UpdateKeySchema,
  updateKeyExamples,
} from '../schemas/account.ts';
import { creationHeader } from './sent.ts';
import { changes, declare, destroys, reads } from '../operation.ts';

export const listKeys = declare({
  id: 'listKeys',
  path: '/keys',
  command: 'key list',
  client: 'keys.list',
  ...reads('0.1.0', 'admin'),
  tag: 'Account',
  summary: 'List the API keys of the caller',
  description: 'With the last four characters of each. The keys themselves are not stored.',
  answer: answer({ keys: Type.Array(KeySchema) }),
});

export const createKey = declare({
  id: 'createKey',
  method: 'POST',
  path: '/keys',
  command: 'key create <name>',
  client: 'keys.create',
  ...changes('0.1.0', 'admin'),
  tag: 'Account',
  summary: 'Create an API key',
  description:
    'Only its hash is stored, so the key is shown only in this answer, and in a repeat with the same Idempotency-Key within 24 h, for which it is kept sealed.',
  body: { schema: CreateKeySchema, examples: createKeyExamples },
  headers: creationHeader,
  answer: answer({ key: NewKeySchema }),
});

export const updateKey = declare({
  id: 'updateKey',
  method: 'PUT',
  path: '/keys/{keyId}',
  command: 'key expire <key>',
  client: 'keys.update',
  ...changes('0.1.0', 'admin'),
  tag: 'Account',
  summary: 'Set or remove the expiry of an API key',
  description: 'To rotate a key: create a new one, switch to it, and let the old one expire.',
  body: { schema: UpdateKeySchema, examples: updateKeyExamples },
  answer: answer({ key: KeySchema }),
});

export const revokeKey = declare({
  id: 'revokeKey',
  method: 'DELETE',
  path: '/keys/{keyId}',
  command: 'key revoke <key>',
  client: 'keys.revoke',
  ...destroys('0.1.0', 'admin'),
  tag: 'Account',
  summary: 'Revoke an API key',
  description: 'The key stops working at once. A key may revoke itself.',
  answer: answer({}),
});
