/** What the server takes and refuses of posts to `status@broadcast`, and how their author learns who got them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { childOf, childrenOf, element } from '../../../sandbox/src/base/nodes.ts';
import { makeDevice } from '../../../sandbox/src/server/accounts/accounts.ts';
import { makeHub } from '../../../sandbox/src/server/hub.ts';

const rig = () => {
  const hub = makeHub({ mediaHost: () => '127.0.0.1:9' });
  const [ada, bob, cyd] = (['Ada', 'Bob', 'Cyd'] as const).map((name, index) =>
    hub.createAccount(`491517000000${index}`, name),
  );
  const linked = { keyIndex: 1, linkedAt: 0, platform: null, noiseKey: null, keys: null };
  const companion = makeDevice(ada!, 1, linked);
  ada!.devices.set(1, companion);
  const second = makeDevice(bob!, 7, linked);
  bob!.devices.set(7, second);
  const got = new Map<string, BinaryNode[]>();
  const connect = (device: typeof companion, name: string): void => {
    const nodes: BinaryNode[] = [];
    got.set(name, nodes);
    hub.attach(device, { send: (node) => void nodes.push(node), close: () => undefined });
  };
  connect(companion, 'ada:1');
  for (const [account, name] of [
    [ada!, 'ada'],
    [bob!, 'bob'],
    [cyd!, 'cyd'],
  ] as const)
    connect(account.devices.get(0)!, name);
  connect(second, 'bob:7');
  const of = (name: string, tag: string) => got.get(name)!.filter((node) => node.tag === tag);
  let id = 0;
  /** The ack of a message of Ada's companion. */
  const post = (attrs: Record<string, string>, to: readonly BinaryNode[], more: readonly BinaryNode[] = []) => {
    id += 1;
    const enc = { tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: Buffer.from('sealed') };
    const content = [element('participants', {}, [...to]), enc, ...more];
    const stanza = { tag: 'message', attrs: { id: `S${id}`, to: 'status@broadcast', type: 'text', ...attrs }, content };
    hub.receive(companion, stanza);
    return of('ada:1', 'ack').findLast((ack) => ack.attrs.id === `S${id}`)?.attrs['error'];
  };
  return { hub, ada: ada!, bob: bob!, cyd: cyd!, companion, second, post, of };
};

const bare = (jid: string): BinaryNode => element('to', { jid });

test('people who are named bare get it on all devices, others not at all', () => {
  const { post, of, ada, bob } = rig();
  assert.equal(post({}, [bare(ada.lid), bare(bob.lid)]), undefined);
  const counts = ['ada', 'bob', 'bob:7', 'cyd', 'ada:1'].map((name) => of(name, 'status').length);
  assert.deepEqual(counts, [1, 1, 1, 0, 0]);
  assert.equal(of('bob', 'status')[0]!.attrs['participant'], ada.lid.replace('@', ':1@'));
});

test('wrong posts are refused as the network refuses them', () => {
  const { hub, post, of, ada, bob, companion } = rig();
  const everybody = [bare(ada.lid), bare(bob.lid)];
  const meta = element('meta', { status_setting: 'contacts' });
  assert.equal(post({}, everybody, [meta]), undefined);
  assert.equal(post({ addressing_mode: 'lid' }, everybody), '479');
  assert.equal(post({}, [bare(ada.lid), bare(bob.jid)]), '479', 'somebody by number');
  assert.equal(post({ type: 'reaction' }, everybody, [meta]), '479');
  assert.equal(post({ edit: '7' }, everybody, [meta]), '479');
  assert.equal(post({ edit: '7' }, everybody), undefined);
  assert.equal(post({}, []), '400', 'nobody');
  const many = Array.from({ length: 5_001 }, (_, index) => bare(`${700_000_000_000_000 + index}@lid`));
  assert.equal(post({}, many), '400', 'more than 5,000');
  assert.equal(post({}, many.slice(1)), undefined);
  hub.receive(companion, { tag: 'status', attrs: { id: 'X', to: 'status@broadcast', type: 'text' } });
  const refusal = of('ada:1', 'ack').find(({ attrs }) => attrs.id === 'X');
  assert.deepEqual([refusal?.attrs['class'], refusal?.attrs['error']], ['status', '400']);
});

test('its author learns who got it and who saw it, by id and step', () => {
  const { hub, post, of, ada, bob, second } = rig();
  post({}, [bare(ada.lid), bare(bob.lid)]);
  const receipt = { id: 'S1', to: 'status@broadcast', participant: ada.lid.replace('@', ':1@'), context: 'status' };
  hub.receive(second, element('receipt', receipt));
  hub.receive(second, element('receipt', { ...receipt, type: 'read' }));
  for (const name of ['ada', 'ada:1']) {
    const told = of(name, 'receipt').map((node) => {
      const list = childOf(node, 'participants');
      const [user] = childrenOf(list);
      return [node.attrs['class'], node.attrs.from, list?.attrs['message_id'], user?.attrs['jid'], user?.attrs['type']];
    });
    const steps = ['delivery', 'read'].map((step) => ['status', 'status@broadcast', 'S1', bob.lid, step]);
    assert.deepEqual(told, steps, name);
  }
});
