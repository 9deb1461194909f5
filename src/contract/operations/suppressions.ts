/** The caller's suppression list (docs/spec/users.md, Suppressions). */
import { members, answer } from '../build.ts';
import { pageParameters, nextCursor } from '../schemas/page.ts';
import { Type } from 'typebox';
import { SuppressionSchema, CreateSuppressionSchema } from '../schemas/account.ts';
import { changes, declare, reads } from '../operation.ts';

export const listSuppressions = declare({
  id: 'listSuppressions',
  path: '/suppressions',
  command: 'suppression list',
  client: 'suppressions.list',
  tool: {
    name: 'list_suppressions',
    description: 'The suppression list: a send to one of these people is refused',
  },
  ...reads('0.3.0'),
  tag: 'Account',
  summary: 'List the suppression list',
  description: 'Of all devices of the user, newest first.',
  query: members(pageParameters),
  answer: answer({ suppressions: Type.Array(SuppressionSchema), nextCursor }),
});

export const createSuppression = declare({
  id: 'createSuppression',
  method: 'POST',
  path: '/suppressions',
  command: 'suppression add <number>',
  client: 'suppressions.create',
  tool: {
    name: 'suppress_number',
    description: 'Adds a person who has opted out to the suppression list. Only a person removes somebody from it',
  },
  ...changes('0.3.0', 'manage'),
  tag: 'Account',
  summary: 'Add a number to the suppression list',
  description:
    'A send to this person by any device of the user is refused with 403, whichever address it names. A number that is listed already stays listed, with the new reason if one is given.',
  body: {
    schema: CreateSuppressionSchema,
    examples: { number: { number: '4915112345678' }, reason: { number: '4915112345678', reason: 'asked by phone' } },
  },
  answer: answer({ suppression: SuppressionSchema }),
});

export const deleteSuppression = declare({
  id: 'deleteSuppression',
  method: 'DELETE',
  path: '/suppressions/{number}',
  command: 'suppression remove <number>',
  client: 'suppressions.delete',
  ...changes('0.3.0', 'manage'),
  tag: 'Account',
  summary: 'Remove a person from the suppression list',
  description: '`number`: as it is listed; or the LID of a person whose number is not known.',
  answer: answer({}),
  errors: ['suppressionNotFound'],
});
