/**
 * Stanzas in the shapes in which other clients know them from the real network, written by hand after their sources: what the driver tells of each, and that it
 * is acknowledged. Shapes that the sandbox's own phones and server write are tested elsewhere.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BinaryNode } from 'baileys';
import { systemClock } from '../../../src/clock.ts';
import type { Recorded } from '../../../sandbox/src/base/recorder.ts';
import type { Device } from '../../../sandbox/src/base/types.ts';
import { eventually } from '../../support/wait.ts';
import { type Rig, startRig } from '../driver.support.ts';
import { bobs, element, server, shapes, silent } from './shapes.ts';

const anns = '4915200000061';
describe('stanzas of the real network', () => {
  let rig: Rig;
  let deviceId: number;
  let device: Device;
  let me: string;
  const recorded: Recorded[] = [];
  const said = (from: number): BinaryNode[] =>
    recorded.slice(from).flatMap((entry) => (entry.kind === 'stanza' && entry.from === 'client' ? [entry.node] : []));
  const types = async (): Promise<string[]> => (await rig.events(deviceId)).map(({ event }) => event.type);
  /** Everything before it has been handled. */
  const mark = async (text: string): Promise<void> => {
    await rig.phones.write(bobs, { to: anns, text });
    await rig.event(deviceId, 'message.received', ({ data }) => data.message.text === text);
  };

  before(async () => {
    rig = await startRig(systemClock, undefined, (entry) => recorded.push(entry));
    await rig.phones.add(bobs, 'Bob');
    ({ deviceId } = await rig.linked(anns, 'Ann'));
    me = `${anns}:1@s.whatsapp.net`;
    device = rig.sandbox.hub.findAccount(anns)!.devices.get(1)!;
    await mark('a session');
  });
  after(() => rig[Symbol.asyncDispose]());

  for (const [index, { name, source, node, told = [] }] of shapes.entries()) {
    it(`${name} (${source}): ${told.join(', ') || 'nothing is told'}`, async () => {
      const [from, earlier] = [recorded.length, await types()];
      const id = `SHAPE-${index}`;
      const { tag, attrs } = node;
      const stanza = { ...node, attrs: { ...attrs, id } };
      if (tag === 'appdata') device.client!.send(stanza);
      else rig.sandbox.hub.deliver(device, stanza);
      const { from: to, type } = attrs;
      const ack = await eventually('the acknowledgement', () =>
        said(from).find((each) => each.attrs.id === id && (each.tag === 'ack' || each.tag === 'receipt')),
      );
      // As WhatsApp Web acknowledges (Baileys rc14 stanza-ack.js): a message with the address of the device.
      const own = tag === 'message' && { from: me };
      assert.deepEqual([ack.tag, ack.attrs], ['ack', { id, to, class: tag, ...(type && { type }), ...own }]);
      await mark(`after ${id}`);
      assert.deepEqual((await types()).slice(earlier.length).sort(), [...told, 'message.received'].sort());
      assert.ok(![...device.queue.values()].some(({ node: waiting }) => waiting.attrs.id === id));
    });
  }

  it('what nobody acknowledges is taken in silence', async () => {
    const [from, earlier] = [recorded.length, await types()];
    for (const node of silent) device.client!.send(node);
    await mark('after all of them');
    assert.deepEqual((await types()).slice(earlier.length), ['message.received']);
    assert.deepEqual(
      said(from).filter(({ tag, attrs }) => tag === 'ack' && attrs.class !== 'receipt'),
      [],
    );
  });

  for (const [form, attrs, content] of [
    ['as an attribute, without an id', { xmlns: 'urn:xmpp:ping' }, []],
    ['as a child', { id: 'PING-2' }, [element('ping')]],
  ] as const) {
    it(`a question whether the client is there, ${form} (whatsapp-rust src/client.rs, 2026-08): it is answered`, async () => {
      const from = recorded.length;
      device.client!.send(element('iq', { from: server, t: '1790000000', type: 'get', ...attrs }, [...content]));
      const isAnswer = ({ tag, attrs: { type } }: BinaryNode): boolean => tag === 'iq' && type === 'result';
      const answer = await eventually('the answer', () => said(from).find(isAnswer));
      const { id } = { id: undefined, ...attrs };
      assert.deepEqual(answer.attrs, { to: server, type: 'result', ...(id && { id }) });
    });
  }
});
