/** Questions and answers by their ids, over handmade stanzas. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from '../../../src/whatsapp/library/nodes.ts';
import { connectionClosed } from '../../../src/whatsapp/socket/connection-ended.ts';
import { NoAnswer, Queries, Refused, refusalOf } from '../../../src/whatsapp/socket/query.ts';

const start = () => {
  const sent: BinaryNode[] = [];
  const queries = new Queries((nodes) => void sent.push(...nodes));
  return { sent, queries };
};

const question: BinaryNode = { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get' } };
const answerTo = ({ attrs }: BinaryNode, content: BinaryNode[] = [], tag = 'iq'): BinaryNode => ({
  tag,
  attrs: { id: attrs['id']!, type: 'result' },
  content,
});

test('a question gets an id as its last attribute, keeps one that it has, and is not changed', async () => {
  const { sent, queries } = start();
  const first = queries.query(question);
  const second = queries.query({ tag: 'iq', attrs: { id: 'mine', type: 'set' } });
  assert.deepEqual(Object.keys(sent[0]!.attrs), ['to', 'type', 'id']);
  assert.match(sent[0]!.attrs['id']!, /^\d{1,5}\.\d{1,5}-1$/);
  assert.deepEqual(sent[1]!.attrs, { id: 'mine', type: 'set' });
  assert.equal(question.attrs['id'], undefined);
  queries.take(answerTo(sent[1]!, [], 'ack'));
  queries.take(answerTo(sent[0]!));
  assert.equal((await first).tag, 'iq');
  assert.equal((await second).tag, 'ack');
  assert.equal(queries.open, 0);
  queries.take(answerTo(sent[0]!));
});

test('a refusal has its code and its words; one without either is a refusal all the same', async () => {
  const { sent, queries } = start();
  const refused = async (attrs: BinaryNode['attrs']): Promise<unknown> => {
    const asked = queries.query(question);
    queries.take(answerTo(sent.at(-1)!, [{ tag: 'error', attrs }]));
    return asked.then(
      () => null,
      (error: unknown) => error,
    );
  };
  const known = await refused({ code: '406', text: 'not-acceptable' });
  assert.ok(known instanceof Refused);
  assert.deepEqual([known.code, known.message, refusalOf(known)], [406, 'not-acceptable', 406]);
  const unknown = await refused({});
  assert.ok(unknown instanceof Refused);
  assert.deepEqual([unknown.message, refusalOf(unknown)], ['Unknown error', null]);
});

test('silence is NoAnswer, for each question in its own time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queries } = start();
  const short = assert.rejects(queries.query(question, 1_000), NoAnswer);
  const usual = assert.rejects(queries.query(question), NoAnswer);
  t.mock.timers.tick(1_000);
  await short;
  assert.equal(queries.open, 1);
  t.mock.timers.tick(19_000);
  await usual;
  assert.equal(queries.open, 0);
});

test('the end of the connection fails what is open and what comes after it, and sends nothing more', async () => {
  const { sent, queries } = start();
  const end = connectionClosed();
  const open = assert.rejects(queries.query(question), end);
  const together = queries.askTogether([question, question]);
  queries.end(end);
  await open;
  assert.deepEqual(await together, [null, null]);
  const before = sent.length;
  await assert.rejects(queries.query(question), end);
  assert.deepEqual(await queries.askTogether([question]), [null]);
  assert.equal(sent.length, before);
});

test('several questions are asked in one write, and answered in their order, refusals among them', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const writes: (readonly BinaryNode[])[] = [];
  const queries = new Queries((nodes) => void writes.push(nodes));
  const asked = queries.askTogether([question, { tag: 'iq', attrs: { id: '', type: 'get' } }, question], 5_000);
  const [first, second] = writes[0]!;
  assert.deepEqual([writes.length, writes[0]!.length, Object.keys(second!.attrs)], [1, 3, ['id', 'type']]);
  queries.take(answerTo(second!, [{ tag: 'error', attrs: { code: '404' } }]));
  queries.take(answerTo(first!));
  t.mock.timers.tick(5_000);
  const answers = await asked;
  assert.deepEqual(
    answers.map((answer) => answer && (answer.content as BinaryNode[]).length),
    [0, 1, null],
  );
  assert.equal(queries.open, 0);
});

test('a question that cannot be sent fails at once', async () => {
  const queries = new Queries(() => {
    throw new Error('A stanza is too long');
  });
  await assert.rejects(queries.query(question), /too long/);
  assert.deepEqual(await queries.askTogether([question]), [null]);
  assert.equal(queries.open, 0);
});
