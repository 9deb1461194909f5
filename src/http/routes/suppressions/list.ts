/** `GET /suppressions` (docs/spec/users.md, Suppressions). */
import { Type } from 'typebox';
import { answer, members } from '../../wire/build.ts';
import { nextCursor, pageParameters } from '../../schemas/page.ts';
import { SuppressionSchema, suppressionView } from '../../schemas/account.ts';
import { answerPages } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';

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
