/** Forms of stanzas that clients other than stock Baileys use: the sandbox answers them as the network does. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { childOf, element } from '../../sandbox/src/base/nodes.ts';
import { type Sandbox, startSandbox } from '../../sandbox/src/sandbox.ts';
import { ada, bob } from '../flows/steps.ts';
import { type Phones, phonesOf } from '../support/phones.ts';
import { eventually } from '../support/wait.ts';
import { Companion } from './companion.ts';

let sandbox: Sandbox;
let phones: Phones;
let client: Companion;

before(async () => {
  sandbox = await startSandbox();
  phones = phonesOf(sandbox.controlUrl);
  await phones.add(ada, 'Ada');
  await phones.add(bob, 'Bob');
  client = new Companion(sandbox);
  await client.link((qr) => phones.scan(ada, qr));
});
after(async () => {
  await client[Symbol.asyncDispose]();
  await sandbox.close();
});

// whatsmeow writes `g.us` (types/jid.go GroupServerJID, 2026-08), Baileys `@g.us`.
for (const to of ['@g.us', 'g.us']) {
  test(`the group behind a link is told to who asks ${to}`, async () => {
    const participants = [bob];
    const { jid } = await phones.request<{ jid: string }>('POST', '/groups', {
      subject: 'G',
      owner: ada,
      participants,
    });
    const code = await client.socket.groupInviteCode(jid);
    const ask = { tag: 'iq', attrs: { type: 'get', xmlns: 'w:g2', to }, content: [element('invite', { code: code! })] };
    const answer = await client.socket.query(ask);
    assert.equal(childOf(answer, 'group')?.attrs['id'], jid.replace('@g.us', ''));
    const joined = { ...ask, attrs: { ...ask.attrs, type: 'set' } };
    await assert.rejects(client.socket.query(joined), /conflict/, 'a member cannot join');
  });
}

test('a status post names its author by LID, with the number beside it, and is read', async () => {
  await phones.faults({ statusAs: 'message' });
  const seen: BinaryNode[] = [];
  client.socket.ws.on('CB:message', (node: BinaryNode) => seen.push(node));
  const { messageId } = await phones.request<{ messageId: string }>('POST', `/phones/${bob}/status`, { text: 'hi' });
  const { message } = await client.received(messageId);
  assert.equal(message?.extendedTextMessage?.text, 'hi');
  const { lid, jid } = await phones.get(bob);
  const { attrs } = seen.find((node) => node.attrs.id === messageId)!;
  assert.deepEqual([attrs.participant, attrs['participant_pn'], attrs['addressing_mode']], [lid, jid, 'lid']);
});

test('a status post of a client that declares an addressing mode is refused with 479', async () => {
  const acks: BinaryNode[] = [];
  client.socket.ws.on('CB:ack', (node: BinaryNode) => acks.push(node));
  const ackOf = async (id: string, more: Record<string, string>) => {
    const attrs = { id, to: 'status@broadcast', type: 'text', ...more };
    await client.socket.sendNode({ tag: 'message', attrs, content: [element('participants')] });
    return (await eventually('the ack', () => acks.find((ack) => ack.attrs.id === id))).attrs.error;
  };
  assert.equal(await ackOf('STATUS-1', { addressing_mode: 'lid' }), '479');
  assert.equal(await ackOf('STATUS-2', { addressing_mode: 'pn' }), '479');
  // Refused for another reason: it is for nobody.
  assert.equal(await ackOf('STATUS-3', {}), '400');
});
