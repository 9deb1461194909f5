/** What the compiler refuses of a handler: a member that the declaration does not have, and an answer that its schema does not say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { answer, members } from '../../src/contract/build.ts';
import { declare } from '../../src/contract/operation.ts';
import { nextCursor, pageParameters } from '../../src/contract/schemas/page.ts';
import { answerPages } from '../../src/http/streams/answers.ts';
import { handle } from '../../src/http/wire/operation.ts';
import { ok } from '../../src/http/wire/values.ts';

const getThing = declare({
  id: 'getThing',
  method: 'GET',
  path: '/things/{thing}',
  command: 'thing show <thing>',
  effect: 'reads',
  action: 'read',
  since: '0.4.0',
  tag: 'Service',
  summary: 'Retrieve a thing',
  query: members({ full: Type.Optional(Type.Boolean()) }),
  answer: answer({ size: Type.Integer() }),
});

test('a handler is held to the declaration', () => {
  const bound = handle(getThing, async ({ params, query }) => ({
    size: query.full === true ? params.thing.length : 0,
    status: ok('Thing retrieved'),
  }));
  assert.equal(bound.id, 'getThing');
  // @ts-expect-error -- a text is no integer
  handle(getThing, async () => ({ size: '1', status: ok('Thing retrieved') }));
  // @ts-expect-error -- the size is missing
  handle(getThing, async () => ({ status: ok('Thing retrieved') }));
  // @ts-expect-error -- the schema has no weight
  handle(getThing, async () => ({ size: 1, weight: 2, status: ok('Thing retrieved') }));
  const status = { ...ok('Thing retrieved'), hint: 'x' };
  // @ts-expect-error -- nor is there a hint in the status, which no literal shows here
  handle(getThing, async () => ({ size: 1, status }));
  // @ts-expect-error -- the path has no such part
  handle(getThing, async ({ params }) => ({ size: params.other.length, status: ok('Thing retrieved') }));
  // @ts-expect-error -- the query has no such member
  handle(getThing, async ({ query }) => ({ size: query.count ?? 0, status: ok('Thing retrieved') }));
});

const listThings = declare({
  id: 'listThings',
  method: 'GET',
  path: '/things',
  command: 'thing list',
  effect: 'reads',
  action: 'read',
  since: '0.4.0',
  tag: 'Service',
  summary: 'List things',
  query: members(pageParameters),
  answer: answer({ things: Type.Array(Type.Object({ size: Type.Integer() })), nextCursor }),
});

test('so is a page that is written in pieces', () => {
  const list = { name: 'things', done: 'Things listed' } as const;
  handle(listThings, (call) => answerPages(call, list, async () => ({ items: [{ size: 1 }], nextCursor: null })));
  // @ts-expect-error -- a thing has no weight
  handle(listThings, (call) =>
    answerPages(call, list, async () => ({ items: [{ size: 1, weight: 2 }], nextCursor: null })),
  );
  // @ts-expect-error -- nor is its size a text
  handle(listThings, (call) => answerPages(call, list, async () => ({ items: [{ size: '1' }], nextCursor: null })));
});
