/**
 * History for a new device, killed at the step that stores it: the key of the application state, and a chunk of history. The phone sends
 * each once, and the network delivers until it is acknowledged: before the commit it comes again, after it the store has it.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Mortal, startMortal } from '../../support/mortal.ts';
import type { Trap } from '../../support/traps/traps.ts';
import { eventually } from '../../support/wait.ts';
import { bob, untilEvent, untilOpen } from '../steps.ts';

interface Case {
  readonly name: string;
  readonly number: string;
  readonly trap: Omit<Trap, 'deviceId'>;
}

interface PhoneView {
  readonly phone: {
    readonly tokens: { readonly carried: Readonly<Record<'tctoken' | 'cstoken' | 'wrong' | 'none', number>> };
  };
}

/** The index of the chunk with old chats and the token, after the first one, names, and address mappings. */
const chunkWithToken = 4;

const cases: readonly Case[] = (['before', 'after'] as const).flatMap((when, index) => [
  {
    name: `a key of the application state, ${when} it is written`,
    number: String(4_915_553_000_000 + index),
    trap: { when, call: 'commit', holding: 'a key of the application state' },
  },
  {
    name: `a chunk of history, ${when} it is written`,
    number: String(4_915_553_000_010 + index),
    trap: { when, call: 'commit', holding: 'a chunk of history', nth: chunkWithToken },
  },
]);

describe('what a phone hands to a device that is killed', () => {
  let mortal: Mortal;
  const idOf = new Map<Case, number>();
  let pendingThen: Readonly<Record<string, number>>;
  const pending = async () => (await mortal.phones.stats()).pending as Readonly<Record<string, number>>;

  /** Stopped on its way, so that it is not open yet. */
  const link = async (one: Case): Promise<void> => {
    await mortal.phones.add(one.number, `Owner ${one.number}`);
    await mortal.phones.request('PUT', `/phones/${bob}/tokens/${one.number}`);
    await mortal.phones.request('POST', `/phones/${one.number}/old-chats`, { with: [bob], messages: 3 });
    const created = await mortal.api.post('/devices', {});
    const { id, qr } = created.body.device as { id: number; qr: string };
    idOf.set(one, id);
    await mortal.trap({ ...one.trap, deviceId: id });
    await mortal.phones.scan(one.number, qr);
  };

  before(async () => {
    mortal = await startMortal();
    await mortal.phones.add(bob, 'Bob');
    for (const one of cases) await link(one);
    await mortal.held(cases.length);
    pendingThen = await pending();
    await mortal.kill();
    await mortal.restart();
    for (const one of cases) await untilOpen(mortal, idOf.get(one)!);
    await mortal.phones.behave(bob, { requiresToken: true });
  });
  after(() => mortal[Symbol.asyncDispose]());

  for (const one of cases) {
    it(`${one.name}: the name, the token of an old chat and the receipts come to the end`, async () => {
      const id = idOf.get(one)!;
      const jid = `${one.number}:1@s.whatsapp.net`;
      assert.ok(pendingThen[jid]! >= 1, 'the network had its ack already');
      await eventually('the name, which the key opens', async () => {
        const { session } = (await mortal.api.get(`/devices/${id}/session`)).body;
        return session.name === `Owner ${one.number}`;
      });
      await eventually('the acks', async () => (await pending())[jid] === undefined);
      const carried = async () =>
        (await mortal.phones.request<PhoneView>('GET', `/phones/${bob}`)).phone.tokens.carried;
      const { tctoken: earlier } = await carried();
      // Chunks are read in the background.
      await eventually('a text that carries the token', async () => {
        const body = { toNumber: bob, message: one.name };
        const sent = await mortal.api.post(`/devices/${id}/messages/text`, body);
        assert.equal(sent.status, 200, JSON.stringify(sent.body));
        return (await carried()).tctoken === earlier + 1;
      });
    });
  }

  it('a long history goes on where it was, with nothing lost or twice, and live messages do not wait for it', async () => {
    const owner = '4915553000100';
    const people = Array.from({ length: 70 }, (_, index) => String(4_915_553_001_000 + index));
    await mortal.phones.add(owner, 'Olga');
    for (const number of people) await mortal.phones.add(number, `Person ${number}`);
    // More chunks than the first places have room for.
    const old = { with: people, messages: 30, chatsAChunk: 1 };
    await mortal.phones.request('POST', `/phones/${owner}/old-chats`, old);
    const { id } = (await mortal.api.post('/devices', {})).body.device as { id: number };
    await mortal.api.put(`/devices/${id}/settings`, { history: 'full' });
    await mortal.trap({ when: 'after', call: 'commit', holding: 'messages of the history', nth: 5, deviceId: id });
    await mortal.phones.scan(owner, (await mortal.api.get(`/devices/${id}`)).body.device.qr);
    await untilOpen(mortal, id);
    await mortal.held(1);

    const [live] = await mortal.phones.write(bob, { to: owner, text: 'live' });
    await untilEvent(mortal, id, 'message.received', ({ message }: { message: { id: string } }) => message.id === live);
    const pendingOf = async () => (await pending())[`${owner}:1@s.whatsapp.net`] ?? 0;
    await eventually('every chunk is named', async () => (await pendingOf()) === 0);
    await mortal.kill();
    await mortal.restart();
    await untilOpen(mortal, id);

    const loaded = async () => {
      const { events } = (await mortal.api.get(`/devices/${id}/events?types=history.loaded&limit=1000`)).body;
      return (events as { data: { count: number } }[]).map(({ data }) => data.count);
    };
    await eventually('an event for each chunk with messages', async () => (await loaded()).length >= people.length);
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { messages, nextCursor } = (await mortal.api.get(`/devices/${id}/messages?limit=1000${page}`)).body;
      ids.push(...(messages as { id: string; historic: boolean }[]).filter((one) => one.historic).map((one) => one.id));
      cursor = nextCursor;
    }
    assert.deepEqual([new Set(ids).size, ids.length], [people.length * 30, people.length * 30]);
    assert.deepEqual(
      await loaded(),
      people.map(() => 30),
    );
  });
});
