/** The caller's suppression list (docs/spec/users.md, Suppressions). */
import * as declared from '../../contract/operations/suppressions.ts';
import { answerPages } from '../streams/answers.ts';
import { suppressionView } from '../views/account.ts';
import { handle } from '../wire/operation.ts';
import { ok } from '../wire/values.ts';
import { parsePerson } from '../../domain/chats/recipient.ts';
import { notFound } from '../../errors.ts';

export const listSuppressions = handle(declared.listSuppressions, async (call) => {
  const { services, caller } = call;
  return answerPages(call, { name: 'suppressions', done: 'Suppressions listed' }, async (piece) => {
    const page = await services.stores.suppressions.list(caller.user.id, piece);
    return { ...page, items: page.items.map(suppressionView) };
  });
});

export const createSuppression = handle(
  declared.createSuppression,
  async ({ services, caller, body: { number, reason = null } }) => {
    const { suppressions } = services.stores;
    const entry = await suppressions.add(caller.user.id, { number, reason }, services.clock.now());
    return { suppression: suppressionView(entry), status: ok('Suppression added') };
  },
);

export const deleteSuppression = handle(declared.deleteSuppression, async ({ services, caller, params }) => {
  const person = parsePerson(params.number, 'number');
  if (!(await services.stores.suppressions.remove(caller.user.id, person))) throw notFound('Suppression');
  return { status: ok('Suppression removed') };
});
