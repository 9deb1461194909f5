/** `POST /keys` (decisions.md, Users, keys, subscriptions): several may be valid at once, which is how they are rotated. */
import { Type } from 'typebox';
import { invalidRequest } from '../../errors.ts';
import { operation } from '../operation.ts';
import { keyView, NewKeySchema } from '../schemas/account.ts';
import { answer, members, ok } from '../schemas/build.ts';
import { parseTimestamp, timestampMember } from '../timestamp.ts';

export const createKey = operation({
  id: 'createKey',
  method: 'POST',
  path: '/keys',
  tag: 'Account',
  summary: 'Create an API key',
  description: 'Only its hash is stored: the answer is the one time that the key is shown.',
  body: {
    schema: members(
      {
        name: Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'What the key is for, 1 to 100 characters',
          errorMessage: 'must be a string of 1 to 100 characters',
        }),
        expiresAt: Type.Optional(timestampMember('When the key stops to work; never when left out')),
      },
      { title: 'CreateKey' },
    ),
    examples: { forever: { name: 'ci' }, expiring: { name: 'contractor', expiresAt: '2030-01-01T00:00:00Z' } },
  },
  answer: answer({ key: NewKeySchema }),
  errors: [400, 401, 408, 413, 429, 500],
  async run({ parts, caller, body }) {
    const expiresAt = body.expiresAt === undefined ? null : parseTimestamp('expiresAt', body.expiresAt);
    if (expiresAt !== null && expiresAt <= parts.clock.now()) throw invalidRequest('expiresAt must be in the future');
    const { key, secret } = await parts.users.createKey(caller.user.id, { name: body.name, expiresAt });
    return { key: { ...keyView(key), secret }, status: ok('Key created; it is shown only this once') };
  },
});
