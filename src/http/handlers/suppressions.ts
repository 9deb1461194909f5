/** The caller's suppression list (docs/spec/users.md, Suppressions). */
import { Type } from 'typebox';
import { answer, members, ok } from '../wire/build.ts';
import { nextCursor, pageParameters } from '../schemas/page.ts';
import { CreateSuppressionSchema, SuppressionSchema, suppressionView } from '../schemas/account.ts';
import { answerPages } from '../streams/answers.ts';
import { operation } from '../wire/operation.ts';
import { parsePerson } from '../../domain/chats/address.ts';
import { notFound } from '../../errors.ts';

export const listSuppressions = operation({
  id: 'listSuppressions',
  method: 'GET',
  path: '/suppressions',
  tag: 'Account',
  summary: 'List the people who are not written to',
  description: 'Of all devices of the user, newest first.',
  query: members(pageParameters),
  answer: answer({ suppressions: Type.Array(SuppressionSchema), nextCursor }),
  errors: [400, 401, 408, 429, 500],
  async run(call) {
    const { parts, caller } = call;
    return answerPages(call, { name: 'suppressions', done: 'Suppressions listed' }, async (piece) => {
      const page = await parts.stores.suppressions.list(caller.user.id, piece);
      return { ...page, items: page.items.map(suppressionView) };
    });
  },
});

export const createSuppression = operation({
  id: 'createSuppression',
  method: 'POST',
  path: '/suppressions',
  tag: 'Account',
  summary: 'Add a number to the suppression list',
  description:
    'A send to this person by any device of the user is refused with 403, whichever address it names. A number that is listed already stays listed, with the new reason if one is given.',
  body: {
    schema: CreateSuppressionSchema,
    examples: { number: { number: '4915112345678' }, reason: { number: '4915112345678', reason: 'asked by phone' } },
  },
  answer: answer({ suppression: SuppressionSchema }),
  errors: [400, 401, 408, 413, 429, 500],
  async run({ parts, caller, body: { number, reason = null } }) {
    const { suppressions } = parts.stores;
    const entry = await suppressions.add(caller.user.id, { number, reason }, parts.clock.now());
    return { suppression: suppressionView(entry), status: ok('Suppression added') };
  },
});

export const deleteSuppression = operation({
  id: 'deleteSuppression',
  method: 'DELETE',
  path: '/suppressions/{number}',
  tag: 'Account',
  summary: 'Take a person off the list',
  description: '`number`: as it is listed; or the LID of a person whose number is not known.',
  answer: answer({}),
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, caller, params }) {
    const person = parsePerson(params.number, 'number');
    if (!(await parts.stores.suppressions.remove(caller.user.id, person))) throw notFound('Suppression');
    return { status: ok('Suppression removed') };
  },
});
