/** Long texts that are cheap to write and dear to read, in each attribute and content of the stanzas that others cause: receipts, calls, notices of groups, names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { record } from '../store/contract/fixture.ts';
import { watchTurns } from '../support/turns.ts';
import { eventually } from '../support/wait.ts';
import { startRig } from '../whatsapp/driver.support.ts';
import { bobs, shapes } from '../whatsapp/receive/shapes.ts';
import { harmless, type Hostile, hostiles, longest } from './hostile/strings.ts';

const anns = '4915200000061';
/** Limit of the time that hostile texts take beyond harmless ones, ms. */
const maxMoreMs = 50;
/** Attributes by which a stanza finds its reader. */
const kept: ReadonlySet<string> = new Set(['from', 'type', 'xmlns']);

type Place = (node: BinaryNode, text: string) => BinaryNode;

/** The places for texts in a stanza and the stanzas in it. */
const placesOf = (node: BinaryNode, isInner = false): readonly Place[] => {
  const names = Object.keys(node.attrs).filter((name) => isInner || !kept.has(name));
  const own = names.map((name): Place => (given, text) => ({ ...given, attrs: { ...given.attrs, [name]: text } }));
  const { content } = node;
  if (!Array.isArray(content))
    return content === undefined ? own : [...own, (given, text) => ({ ...given, content: Buffer.from(text) })];
  const inner = content.flatMap((child, index) =>
    placesOf(child, true).map((place): Place => (given, text) => ({
      ...given,
      content: content.map((each, at) => (at === index ? place(each, text) : each)),
    })),
  );
  return [...own, ...inner];
};

test('hostile text: each text of the stanzas of the network', async (t) => {
  await using rig = await startRig();
  using turns = watchTurns();
  await rig.phones.add(bobs, 'Bob');
  const { deviceId } = await rig.linked(anns, 'Ann');
  const device = rig.sandbox.hub.findAccount(anns)!.devices.get(1)!;
  let marks = 0;
  const mark = async (): Promise<void> => {
    const text = `mark ${(marks += 1)}`;
    await rig.phones.write(bobs, { to: anns, text });
    await rig.event(deviceId, 'message.received', ({ data }) => data.message.text === text);
  };
  /** Longest turn while stanzas with these texts are read, the sandbox included. */
  const longestTurn = async (runs: readonly Hostile[]): Promise<number> => {
    await mark();
    turns.longestMs();
    let serial = 0;
    for (const { node, name } of shapes) {
      if (node.tag === 'appdata') continue;
      for (const place of placesOf(node)) {
        const run = runs[(serial += 1) % runs.length]!;
        const stanza = place({ ...node, attrs: { ...node.attrs, id: `${marks}-${serial}` } }, run.of(longest));
        assert.ok(device.client, name);
        rig.sandbox.hub.deliver(device, stanza);
        await new Promise(setImmediate);
      }
    }
    await mark();
    return turns.longestMs();
  };
  const like = await longestTurn([harmless]);
  let more = (await longestTurn(hostiles)) - like;
  if (more > maxMoreMs) more = Math.min(more, (await longestTurn(hostiles)) - like);
  t.diagnostic(`longest turn ${like.toFixed(0)} ms, ${more.toFixed(0)} ms more`);
  assert.ok(more <= maxMoreMs, `${more} ms more`);
});

test('hostile stanzas: a receipt of a status that thousands have seen is written in parts', async () => {
  await using rig = await startRig();
  const { deviceId } = await rig.linked(anns, 'Ann');
  const device = rig.sandbox.hub.findAccount(anns)!.devices.get(1)!;
  const { stores } = rig;
  const [timestamp, expiresAt] = [Date.now(), Date.now() + 3_600_000];
  const times = { expiresAt, acceptedAt: timestamp, deletedAt: null, recipients: 1 };
  const message = record('SEEN', { direction: 'out', timestamp });
  const status = { ...times, message, background: null, font: null };
  await stores.changes.commit(deviceId, { statuses: [{ kind: 'new', status, audience: [] }] });
  const users = Array.from({ length: 1_000 }, (_, n) => ({
    tag: 'user',
    attrs: { jid: `${1_000_000 + n}@lid`, type: 'read', t: '1700000000' },
  }));
  const list = { tag: 'participants', attrs: { message_id: 'SEEN', key: 'SEEN' }, content: users };
  const sizes: number[] = [];
  const { viewers } = stores.statuses;
  const { commit } = stores.changes;
  const counted: typeof commit = (id, changes, epoch) => {
    sizes.push(changes.statuses?.length ?? 0);
    return commit(id, changes, epoch);
  };
  Object.assign(stores.changes, { commit: counted });
  rig.sandbox.hub.deliver(device, {
    tag: 'receipt',
    attrs: { id: 'R1', from: 'status@broadcast', class: 'status', t: '1700000000' },
    content: [list],
  });
  await eventually('all who saw it', async () => {
    const { items } = await viewers(deviceId, 'SEEN', { limit: 2_000, cursor: null });
    return items.length === users.length;
  });
  assert.ok(sizes.length > 1 && Math.max(...sizes) <= 100, sizes.join(', '));
});
