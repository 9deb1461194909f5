/** Orders: told at once without their lines, which are asked of the network once and told then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proto } from 'baileys';
import { Orders } from '../../../src/whatsapp/receive/orders.ts';
import type { BinaryNode } from '../../../src/whatsapp/library/nodes.ts';
import { NoAnswer, Refused } from '../../../src/whatsapp/socket/query.ts';
import type { SessionChanges } from '../../../src/domain/changes.ts';
import type { MessageRecord } from '../../../src/domain/message.ts';
import { makeLog } from '../../../src/log.ts';
import { manualClock } from '../../support/clock.ts';
import { record } from '../../store/contract/fixture.ts';
import { startRig } from '../driver.support.ts';

const lines = [
  { id: 'p1', name: 'Cake', quantity: 2, price: 19.99 },
  { id: 'p2', name: 'Candle', quantity: 12, price: 0.5 },
];

test('driver: the lines of an order follow it, and stay with the message', async () => {
  await using rig = await startRig();
  const [shop, customer] = ['4915200000061', '4915200000062'];
  await rig.phones.add(customer, 'Bob');
  const { deviceId } = await rig.linked(shop, 'Shop');
  const order = { id: 'o1', title: 'Cakes', items: 14, lines, total: 45.98, currency: 'EUR' };
  const [id] = await rig.phones.write(customer, { to: shop, order, caption: 'please' });
  const { data } = await rig.event(deviceId, 'message.received', (event) => event.data.message.id === id);
  const told = { id: 'o1', itemCount: 14, items: null, total: 45.98, currency: 'EUR' };
  assert.deepEqual([data.message.type, data.message.order], ['order', told]);
  const { data: later } = await rig.event(deviceId, 'message.updated', (event) => event.data.messageId === id);
  const whole = { ...told, items: lines };
  assert.deepEqual(later.update, { order: whole });
  assert.deepEqual((await rig.stores.messages.find(deviceId, id!))?.parts?.order, whole);
});

test('driver: a product says its price; an order that the network has forgotten stays without lines', async () => {
  await using rig = await startRig();
  const [shop, customer] = ['4915200000063', '4915200000064'];
  await rig.phones.add(customer, 'Bob');
  const { deviceId } = await rig.linked(shop, 'Shop');
  const product = { id: 'p1', title: 'Cake', price: 19.99, currency: 'EUR' };
  const [shown] = await rig.phones.write(customer, { to: shop, product });
  const { data } = await rig.event(deviceId, 'message.received', (event) => event.data.message.id === shown);
  assert.partialDeepStrictEqual(data.message.product, { id: 'p1', name: 'Cake', price: 19.99, currency: 'EUR' });
  const [id] = await rig.phones.write(customer, { to: shop, order: { id: 'o2', items: 1 } });
  await rig.event(deviceId, 'message.received', (event) => event.data.message.id === id);
  const [next] = await rig.phones.write(customer, {
    to: shop,
    order: { id: 'o3', items: 1, lines: lines.slice(0, 1) },
  });
  await rig.event(deviceId, 'message.updated', (event) => event.data.messageId === next);
  assert.equal((await rig.stores.messages.find(deviceId, id!))?.parts?.order?.items, null);
});

const orderRecord = (id: string, token = 'token'): MessageRecord => ({
  ...record(id, { direction: 'in' }),
  type: 'order',
  parts: { order: { id: 'o1', itemCount: 1, items: null, total: null, currency: null } },
  content: proto.Message.encode({ orderMessage: { orderId: 'o1', token } }).finish(),
});

/** Orders over a network that answers as `answer` says. */
const start = (answer: (question: BinaryNode) => Promise<BinaryNode>) => {
  const clock = manualClock();
  const stored = new Map<string, MessageRecord>();
  const commits: SessionChanges[] = [];
  let asked = 0;
  const orders = new Orders({
    deviceId: 1,
    store: {
      broken: false,
      readKeys: async () => new Map(),
      commit: async (_, changes) => void commits.push(changes),
    },
    messages: { find: async (_, id) => stored.get(id) ?? null },
    sock: {
      query: (question) => {
        asked += 1;
        return answer(question);
      },
    },
    clock,
    log: makeLog('silent'),
    onStoreFailure: (error) => assert.fail(String(error)),
  });
  const keep = (message: MessageRecord) => {
    stored.set(message.id, message);
    return orders.keep([message]);
  };
  return { orders, keep, clock, commits, asked: () => asked };
};

const text = (tag: string, content: string): BinaryNode => ({ tag, attrs: {}, content: Buffer.from(content) });

test('driver: what a network or a stranger makes of an order is bounded', async () => {
  const product = {
    tag: 'product',
    attrs: {},
    content: [text('name', 'x'.repeat(1_048_576)), text('price', '1e9'), text('quantity', '-1'), text('id', 'p')],
  };
  const price = { tag: 'price', attrs: {}, content: [text('total', '9'.repeat(100))] };
  const order = { tag: 'order', attrs: {}, content: [...Array.from({ length: 10_000 }, () => product), price] };
  const rig = start(async () => ({ tag: 'iq', attrs: {}, content: [order] }));
  await rig.orders.begin();
  await rig.keep(orderRecord('M1'));
  await rig.clock.advance(1_000);
  const told = rig.commits.flatMap(({ messageChanges = [] }) => messageChanges)[0]!.parts!.order!;
  assert.equal(told.items!.length, 200);
  assert.deepEqual(told.items![0], { id: 'p', name: null, quantity: null, price: null });
  assert.deepEqual([told.total, told.currency], [null, null]);
  assert.deepEqual(await rig.keep(orderRecord('M2', 'x'.repeat(5_000))), [], 'no token of a network');
});

test('driver: a question without an answer is asked three times, one that is refused once', async () => {
  for (const [error, times] of [
    [new NoAnswer(), 3],
    [new Refused(404, 'item-not-found'), 1],
  ] as const) {
    const rig = start(() => Promise.reject(error));
    await rig.orders.begin();
    await rig.keep(orderRecord('M1'));
    await rig.clock.advance(1_000);
    assert.equal(rig.asked(), times);
    assert.deepEqual(
      rig.commits.at(-1)?.keys?.map(({ value }) => value),
      [null],
      'nothing is left to ask',
    );
    assert.deepEqual(
      rig.commits.flatMap(({ facts = [] }) => facts),
      [],
    );
  }
});

test('driver: at most 32 orders wait, and none is asked about before the connection is open', async () => {
  const rig = start(() => Promise.reject(new Refused(404, 'item-not-found')));
  for (let n = 0; n < 40; n += 1) await rig.keep(orderRecord(`M${n}`));
  await rig.clock.advance(1_000);
  assert.equal(rig.asked(), 0);
  await rig.orders.begin();
  await rig.clock.advance(1_000);
  assert.equal(rig.asked(), 32);
});
