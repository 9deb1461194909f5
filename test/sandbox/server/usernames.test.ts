/** Usernames on the sandbox's network: the four answers to a look-up, and what stanzas tell a stock client. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { childOf, element } from '../../../sandbox/src/base/nodes.ts';
import type { Account } from '../../../sandbox/src/base/types.ts';
import { addPhone, closeSound, eventually, type Linked, linkedSocket, type Network, startNetwork } from './support.ts';

let network: Network;
let ada: Linked;
let bob: Account;

before(async () => {
  network = await startNetwork();
  ada = await linkedSocket(network, '4915150000001', 'Ada');
  bob = addPhone(network.hub, '4915150000002', 'Bob').account;
});
after(() => closeSound(network));

const lookUp = async (attrs: Record<string, string>): Promise<BinaryNode | undefined> => {
  const query = element('query', {}, [element('contact', { addressing_mode: 'lid' }), element('business')]);
  const list = element('list', {}, [element('user', {}, [element('contact', attrs)])]);
  const about = { sid: '1', mode: 'query', context: 'interactive', last: 'true', index: '0' };
  const content = [element('usync', about, [query, list])];
  const answer = await ada.socket.query(element('iq', { to: '@s.whatsapp.net', type: 'get', xmlns: 'usync' }, content));
  return childOf(childOf(childOf(answer, 'usync'), 'list'), 'user');
};

test('a name is found, nobody’s, refused, or needs a key', async () => {
  network.hub.setUsername(bob, 'Bob.Baker');
  const found = await lookUp({ username: 'bob.baker' });
  assert.deepEqual(found?.attrs, { jid: bob.lid, pn_jid: bob.jid });
  assert.deepEqual(childOf(found, 'contact')?.attrs, { type: 'in', username: 'Bob.Baker' });
  bob.hidesNumber = true;
  assert.deepEqual((await lookUp({ username: 'bob.baker' }))?.attrs, { jid: bob.lid });
  assert.equal(childOf(await lookUp({ username: 'nobody.here' }), 'contact')?.attrs['type'], 'out');
  assert.notEqual(childOf(childOf(await lookUp({ username: 'a..b' }), 'contact'), 'error'), undefined);
  bob.usernameKey = '1234';
  assert.equal((await lookUp({ username: 'bob.baker' }))?.attrs['jid'], undefined);
  assert.equal((await lookUp({ username: 'bob.baker', pin: '4321' }))?.attrs['jid'], undefined);
  assert.equal((await lookUp({ username: 'bob.baker', pin: '1234' }))?.attrs['jid'], bob.lid);
});

test('chat partners are told of a new name, and that it is gone', async () => {
  const notices: string[] = [];
  ada.socket.ws.on('CB:notification,type:mex', (node: BinaryNode) =>
    notices.push(String(childOf(node, 'update')?.attrs['op_name'])),
  );
  network.hub.state.registry.stateOf(bob).known.add(ada.account);
  network.hub.setUsername(bob, 'robert');
  network.hub.setUsername(bob, null);
  assert.equal(bob.usernameKey, null);
  await eventually(() => notices.length === 2, 'both notices');
  assert.deepEqual(notices, ['UsernameSetNotification', 'UsernameDeleteNotification']);
});
