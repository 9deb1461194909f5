/** `DELETE /suppressions/{number}` (docs/spec/users.md, Suppressions). */
import { parsePerson } from '../../../domain/chats/address.ts';
import { notFound } from '../../../errors.ts';
import { answer, ok } from '../../wire/build.ts';
import { operation } from '../../wire/operation.ts';

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
