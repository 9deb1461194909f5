/**
 * A status to more contacts than a stanza holds: several stanzas under one id, each acknowledged. With STATUS_CONTACTS=12000 and
 * TEST_LENGTH=long, the time and the memory that docs/status.md tells. In short, one contact in 20 has a phone: a session for each takes most
 * of the time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childOf, childrenOf } from '../../../sandbox/src/base/nodes.ts';
import { newSignalState, publicKeys } from '../../../sandbox/src/phones/signal/signal-state.ts';
import { sized } from '../../system/support/length.ts';
import { startRig } from '../driver.support.ts';

const contacts = Number(process.env['STATUS_CONTACTS'] ?? 5_200);
const contactsPerPhone = sized(20, 1);
const perStanza = 5_000;

test('a status to thousands of contacts leaves in chunks, and the next one brings no keys', async (t) => {
  await using rig = await startRig();
  const { deviceId, watched } = await rig.linked('4915200000031', 'Ann');
  const { hub } = rig.sandbox;
  // Nobody reads it: they have the same keys.
  const keys = { ...publicKeys(newSignalState()), preKeys: new Map<number, Uint8Array>() };
  const audience: string[] = [];
  for (let index = 0; index < contacts; index += 1) {
    const account = hub.createAccount(String(4_916_000_000_000 + index), `Contact ${index}`);
    if (index % contactsPerPhone === 0) account.devices.get(0)!.keys = { ...keys };
    else account.devices.clear();
    audience.push(account.lid);
  }
  const stanzas: { readonly people: number; readonly keyed: number; readonly id: string | undefined }[] = [];
  const receive = hub.receive.bind(hub);
  hub.receive = (device, node) => {
    if (node.tag === 'message' && node.attrs.to === 'status@broadcast') {
      const to = childrenOf(childOf(node, 'participants'));
      stanzas.push({
        people: to.length,
        keyed: to.filter((each) => each.content !== undefined).length,
        id: node.attrs.id,
      });
    }
    receive(device, node);
  };
  const post = async (id: string) => {
    const heap = process.memoryUsage().rss;
    const since = performance.now();
    const content = { kind: 'text', text: 'open until ten', background: null, font: null } as const;
    const recipients = await watched.session.statuses.post({ id, content, privacy: 'contacts', audience });
    t.diagnostic(
      `${id}: ${Math.round(performance.now() - since)} ms, ${Math.round((process.memoryUsage().rss - heap) / 1_048_576)} MB more`,
    );
    assert.equal(recipients, contacts);
    assert.ok((await rig.stores.statuses.find(deviceId, id))?.acceptedAt);
    return stanzas.splice(0);
  };
  const first = await post('FIRST');
  // The own account is in the first chunk.
  const chunks: number[] = [];
  for (let left = contacts + 1; left > 0; left -= perStanza) chunks.push(Math.min(left, perStanza));
  assert.ok(chunks.length > 1);
  assert.deepEqual(
    first.map(({ people }) => people),
    chunks,
  );
  assert.deepEqual(new Set(first.map(({ id }) => id)), new Set(['FIRST']));
  assert.equal(
    first.reduce((sum, { keyed }) => sum + keyed, 0),
    Math.ceil(contacts / contactsPerPhone) + 1,
  );
  const second = await post('SECOND');
  assert.deepEqual(
    second.map(({ people, keyed }) => [people, keyed]),
    chunks.map((people) => [people, 0]),
  );
});
