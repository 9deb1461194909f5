/**
 * Inbound traffic, killed at each of its steps: before it is written, the network still has it and delivers it again;
 * afterwards it is ours and no second event. Messages, edits, revokes, reactions, receipts, calls and groups alike.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { EventEnvelope } from '../../../src/domain/event.ts';
import { type Mortal, startMortal } from '../../support/mortal.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import type { Trap } from '../../support/traps/traps.ts';
import { eventually } from '../../support/wait.ts';
import { bob, eventsOf, linkDevice, untilEvent, untilOpen } from '../steps.ts';

/** An action of the other person; resolves with what tells its event from all others. */
type Happening = (number: string, id: number) => Promise<string>;

interface Case {
  readonly name: string;
  readonly trap: Omit<Trap, 'deviceId'>;
  readonly type: EventEnvelope['type'];
  readonly prepare?: Happening;
  readonly happen: Happening;
  /** The number of the case's own account, so that no case waits for another. */
  readonly number: string;
}

describe('what is received and killed', () => {
  let mortal: Mortal;
  let receiver: Receiver;
  const idOf = new Map<Case, number>();
  const toldBy = new Map<Case, string>();
  const prepared = new Map<string, string>();
  let pendingThen: Readonly<Record<string, number>>;

  const write: Happening = async (number) => {
    const [id] = await mortal.phones.write(bob, { to: number, text: `to ${number}` });
    return id!;
  };
  /** Does something to the message that was written before. */
  const act =
    (action: string, body?: unknown): Happening =>
    async (number) => {
      const id = prepared.get(number)!;
      await mortal.phones.request('POST', `/phones/${bob}/messages/${id}/${action}`, body);
      return id;
    };
  const send: Happening = async (number, id) => {
    const sent = await mortal.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: `from ${number}` });
    assert.equal(sent.status, 200);
    return sent.body.messageId;
  };
  const group = async (number: string): Promise<string> => {
    const participants = [number];
    return (await mortal.phones.request<{ jid: string }>('POST', '/groups', { subject: 'G', owner: bob, participants }))
      .jid;
  };
  const writeWithheld =
    (withheld: string): Happening =>
    async (number) =>
      (await mortal.phones.write(bob, { to: number, text: `to ${number}`, withheld }))[0]!;
  const writeToNewGroup: Happening = async (number) => write(await group(number), 0);

  const happenings = [
    { what: 'a message', type: 'message.received', happen: write },
    {
      what: 'a message of the own phone',
      type: 'message.sent',
      happen: async (number) => (await mortal.phones.write(number, { to: bob, text: 'from my phone' }))[0]!,
    },
    { what: 'an edit', type: 'message.updated', prepare: write, happen: act('edit', { text: 'edited' }) },
    { what: 'a revoke', type: 'message.deleted', prepare: write, happen: act('revoke') },
    { what: 'a reaction', type: 'message.updated', prepare: write, happen: act('react', { emoji: '👍' }) },
    { what: 'a receipt', type: 'message.updated', prepare: send, happen: act('read') },
    {
      what: 'a call',
      type: 'call',
      happen: async (number) =>
        (await mortal.phones.request<{ callId: string }>('POST', `/phones/${bob}/call`, { to: number })).callId,
    },
    {
      what: 'a message to a group',
      type: 'message.received',
      prepare: async (number) => {
        const jid = await group(number);
        await write(jid, 0);
        return jid;
      },
      happen: async (number) => write(prepared.get(number)!, 0),
    },
    { what: 'the first message to a group', type: 'message.received', happen: writeToNewGroup },
    { what: 'a message without its content', type: 'message.received', happen: writeWithheld('viewOnce') },
    {
      what: 'the content that the own phone hands over',
      type: 'message.updated',
      prepare: async (number, id) => {
        await mortal.phones.behave(number, { online: false });
        return writeWithheld('waiting')(number, id);
      },
      happen: async (number) => {
        await mortal.phones.behave(number, { online: true });
        return prepared.get(number)!;
      },
    },
  ] as const satisfies readonly { what: string; type: string; prepare?: Happening; happen: Happening }[];

  const cases: readonly Case[] = [
    ...happenings.flatMap((happening) => {
      const step = { call: 'commit', holding: happening.type } as const;
      return [
        { ...happening, name: `${happening.what}, before it is written`, trap: { ...step, when: 'before' as const } },
        { ...happening, name: `${happening.what}, when it is written`, trap: { ...step, when: 'after' as const } },
      ];
    }),
    ...(
      [
        ['when the message with its key is decrypted', { when: 'after', call: 'commit', holding: 'a decryption' }],
        ['when its key is written', { when: 'after', call: 'commit', holding: 'a sender key' }],
      ] as const
    ).map(([when, trap]) => ({
      name: `the first message to a group, ${when}`,
      trap,
      type: 'message.received' as const,
      happen: writeToNewGroup,
    })),
  ].map((one, index) => ({ ...one, number: String(4_915_552_000_000 + index) }));

  const link = async (one: Case): Promise<void> => {
    await mortal.phones.add(one.number, one.name);
    const id = await linkDevice(mortal, one.number, { webhookUrl: receiver.url });
    idOf.set(one, id);
    // Sessions and addresses are known from an earlier message.
    await write(one.number, id);
    await untilEvent(mortal, id, 'message.received');
    if (one.prepare === undefined) return;
    const earlier = (await eventsOf(mortal, id)).length;
    prepared.set(one.number, await one.prepare(one.number, id));
    await eventually('the earlier event', async () => (await eventsOf(mortal, id)).length > earlier);
  };

  before(async () => {
    mortal = await startMortal();
    receiver = await startReceiver();
    await mortal.phones.add(bob, 'Bob');
    await Promise.all(cases.map(link));
    // What is prepared has been told to the end: a send with its receipt. A phone that is away has its requests waiting.
    await eventually('an empty queue', async () => !Object.keys(await pending()).some((name) => name.includes(':')));
    for (const one of cases) {
      await mortal.trap({ ...one.trap, deviceId: idOf.get(one)! });
      toldBy.set(one, await one.happen(one.number, idOf.get(one)!));
    }
    await mortal.held(cases.length);
    pendingThen = await pending();
    await mortal.kill();
    await mortal.restart();
    for (const one of cases) await untilOpen(mortal, idOf.get(one)!);
  });
  after(async () => {
    await mortal[Symbol.asyncDispose]();
    await receiver.close();
  });

  const pending = async () => (await mortal.phones.stats()).pending as Readonly<Record<string, number>>;

  const tellsOf = (one: Case, event: EventEnvelope): boolean => {
    if (event.type !== one.type || event.deviceId !== idOf.get(one)) return false;
    const text = JSON.stringify(event.data);
    if (!text.includes(`"${toldBy.get(one)}"`)) return false;
    // A send is followed by the receipt of its arrival, which is not the one that is looked at.
    return !text.includes('"status":"delivered"');
  };

  for (const one of cases) {
    it(`${one.name}: one event, and the network is told afterwards`, async () => {
      const id = idOf.get(one)!;
      // Behind a message of the own phone its receipt may wait, too.
      assert.ok(pendingThen[`${one.number}:1@s.whatsapp.net`]! >= 1, 'the network had its ack already');
      const find = async () => (await eventsOf(mortal, id)).filter((event) => tellsOf(one, event));
      const [event] = await eventually('the event', async () => {
        const found = await find();
        return found.length > 0 && found;
      });
      await receiver.until(1, (post) => post.event.id === event!.id);
      await eventually('the ack', async () => (await pending())[`${one.number}:1@s.whatsapp.net`] === undefined);
      assert.equal((await find()).length, 1);
      assert.equal(
        new Set(receiver.received.filter((post) => tellsOf(one, post.event)).map((post) => post.event.id)).size,
        1,
      );
    });
  }

  it('everybody could read everything at once, and goes on', async () => {
    for (const one of cases) {
      const id = idOf.get(one)!;
      const written = await write(one.number, id);
      await untilEvent(
        mortal,
        id,
        'message.received',
        (data: { message: { id: string } }) => data.message.id === written,
      );
    }
    const { decryptFailures, retriesAsked, retriesAnswered } = await mortal.phones.stats();
    assert.deepEqual([decryptFailures, retriesAsked, retriesAnswered], [0, 0, 0]);
  });
});
