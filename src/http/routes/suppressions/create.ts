/** `POST /suppressions` (docs/spec/users.md, Suppressions). */
import { answer, ok } from '../../wire/build.ts';
import { CreateSuppressionSchema, SuppressionSchema, suppressionView } from '../../schemas/account.ts';
import { operation } from '../../wire/operation.ts';

export const createSuppression = operation({
  id: 'createSuppression',
  method: 'POST',
  path: '/suppressions',
  tag: 'Account',
  summary: 'List a person who is not to be written to',
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
