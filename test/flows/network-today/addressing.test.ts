/** The network of 2026, addressing and acknowledgements: each rule as the strict sandbox plays it, through the whole service. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { MessageData } from '../../../src/domain/event.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import type { Phones, SandboxPhone } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, eventsOf, linkDevice, untilEvent, untilOpen, untilShown } from '../steps.ts';

const cyd = '4915550003333';

interface Told {
  readonly messageId: string;
  readonly message: { readonly id: string };
  readonly update: { readonly status?: string };
}

describe('a message to a person', () => {
  let installation: Installation;
  let adasPhone: SandboxPhone;
  let bobsPhone: SandboxPhone;
  let phones: Phones;
  const counted = async (name: string): Promise<number> => Number((await phones.stats())[name]);
  const post = (id: number, to: object, message: string, more: object = {}) =>
    installation.api.post(`/devices/${id}/messages/text`, { ...to, message, ...more });
  const send = async (id: number, to: object, message: string): Promise<string> => {
    const sent = await post(id, to, message);
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    return sent.body.messageId as string;
  };
  const sentMessage = async (id: number, messageId: string): Promise<MessageData> => {
    const event = await untilEvent(installation, id, 'message.sent', (data: Told) => data.message.id === messageId);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the interface says of this type of event
    return (event.data as { message: MessageData }).message;
  };
  /** How many messages of linked devices reach the network while `work` goes on, and how many of them it refuses for their addresses. */
  const during = async (work: () => Promise<unknown>): Promise<{ sent: number; wrong: number }> => {
    // A new companion and its phone talk to each other meanwhile.
    const now = async () => {
      const stats = await phones.stats();
      const sent = Number(stats['messagesIn']) - Number(stats['peerMessages']);
      return { sent, wrong: Number(stats['wronglyAddressed']) };
    };
    const before = await now();
    await work();
    const after = await now();
    return { sent: after.sent - before.sent, wrong: after.wrong - before.wrong };
  };
  const shown = async (number: string, text: string) =>
    (await phones.messages(number)).filter((message) => message.text === text).length;

  /** With the application state, which is asked of the phone by a message of its own. */
  const link = async (number: string = ada): Promise<number> => {
    const id = await linkDevice(installation, number);
    const name = async () => (await installation.api.get(`/devices/${id}/session`)).body.session.name !== null;
    await eventually('the name of the account', name);
    return id;
  };

  /** The phone says in a message that it has migrated. */
  const untilTold = (): Promise<unknown> =>
    eventually(
      'what the phone told is acknowledged',
      async () => Object.keys((await phones.stats()).pending as object).length === 0,
    );

  beforeEach(async () => {
    installation = await startInstallation();
    phones = installation.phones;
    await phones.faults({ addressing: 'strict' });
    adasPhone = await phones.add(ada, 'Ada');
    bobsPhone = await phones.add(bob, 'Bob');
  });
  afterEach(() => installation[Symbol.asyncDispose]());

  it('goes to the LID, whichever address it is given; its chat stays the phone JID, its receipts find it', async () => {
    const id = await link();
    for (const to of [{ to: bobsPhone.jid }, { toNumber: bob }, { to: bobsPhone.lid }]) {
      const text = JSON.stringify(to);
      const messageId = await send(id, to, text);
      const message = await sentMessage(id, messageId);
      assert.deepEqual([message.chat, message.chatLid], [bobsPhone.jid, bobsPhone.lid]);
      await untilEvent(
        installation,
        id,
        'message.updated',
        (data: Told) => data.messageId === messageId && data.update.status === 'delivered',
      );
      await untilShown(installation, bob, text);
      assert.equal((await untilShown(installation, ada, text)).chat, bobsPhone.jid, 'the copy on the own phone');
    }
    assert.deepEqual([await counted('wronglyAddressed'), await counted('destinationMismatches')], [0, 0]);
  });

  it('of an account that has not migrated: 400 to the LID, once by number under the same id, and remembered', async () => {
    await phones.behave(ada, { migrated: false, migrationTold: [] });
    const id = await link();
    const first = await during(() => send(id, { to: bobsPhone.jid }, 'first'));
    assert.deepEqual(first, { sent: 2, wrong: 1 });
    const second = await during(() => send(id, { to: bobsPhone.jid }, 'second'));
    assert.equal(second.wrong, 0);
    await installation.restart();
    await untilOpen(installation, id);
    const third = await during(() => send(id, { toNumber: bob }, 'third'));
    assert.equal(third.wrong, 0, 'also after a restart');
    for (const text of ['first', 'second', 'third']) {
      await untilShown(installation, bob, text);
      assert.equal(await shown(bob, text), 1);
    }
    const told = (await eventsOf(installation, id)).filter(({ type }) => type === 'message.sent');
    assert.equal(told.length, 3);
  });

  it('of an account that says that it has not migrated goes by number at once, and by LID once it has', async () => {
    await phones.behave(ada, { migrated: false });
    const id = await link();
    const before = await during(() => send(id, { to: bobsPhone.jid }, 'before'));
    assert.deepEqual(before, { sent: 1, wrong: 0 });
    await phones.behave(ada, { migrated: true });
    await untilTold();
    const after = await during(() => send(id, { to: bobsPhone.jid }, 'after'));
    await untilShown(installation, bob, 'after');
    const later = await during(() => send(id, { to: bobsPhone.jid }, 'later'));
    assert.deepEqual([after.wrong, later.wrong], [0, 0]);
    await phones.behave(ada, { migrated: false });
    await untilTold();
    await send(id, { to: bobsPhone.jid }, 'and back');
    await untilShown(installation, bob, 'and back');
  });

  it('to people of whom some have migrated and some have not reaches each of them once', async () => {
    await phones.add(cyd, 'Cyd');
    await phones.behave(cyd, { migrated: false });
    const id = await link();
    const sent = await during(async () => {
      for (const round of [1, 2]) {
        for (const number of [bob, cyd]) {
          await send(id, { toNumber: number }, `round ${round}`);
          await untilShown(installation, number, `round ${round}`);
          assert.equal(await shown(number, `round ${round}`), 1);
        }
      }
    });
    assert.deepEqual(sent, { sent: 4, wrong: 0 }, 'the state of the own account alone decides');
    await phones.behave(ada, { migrated: false, migrationTold: [] });
    const changed = await during(async () => {
      for (const number of [bob, cyd, bob, cyd]) await send(id, { toNumber: number }, 'by number');
    });
    assert.deepEqual(changed, { sent: 5, wrong: 1 }, 'one refusal tells it of all recipients');
  });

  it('that nobody can get fails, and is not sent to the own devices alone', async () => {
    const id = await link();
    const none = await during(async () => {
      for (const to of ['4915559999999@s.whatsapp.net', '123456789012345@lid']) {
        const { status, body } = await post(id, { to }, 'anybody?');
        assert.deepEqual([status, body.status.message], [400, 'to is not on the network: there is no such account']);
      }
    });
    assert.equal(none.sent, 0);
    assert.equal(await shown(ada, 'anybody?'), 0);
  });

  it('reaches a device that was linked meanwhile, and none that was unlinked', async () => {
    const id = await link();
    await send(id, { to: bobsPhone.jid }, 'one');
    const bobsDevice = await link(bob);
    await eventually('the new device gets what is written now', async () => {
      await send(id, { to: bobsPhone.jid }, 'two');
      return (await eventsOf(installation, bobsDevice)).some(({ type }) => type === 'message.received');
    });
    const [device] = (await phones.get(bob)).linkedDevices;
    await phones.request('DELETE', `/phones/${bob}/linked-devices/${device!.device}`);
    await untilEvent(installation, bobsDevice, 'connection.logout');
    await eventually('the next message goes without it', async () => {
      const { status } = await post(id, { to: bobsPhone.jid }, 'three');
      return status === 200;
    });
    await send(id, { to: bobsPhone.jid }, 'four');
    await untilShown(installation, bob, 'four');
  });

  it('to a LID that is a former one: the new one is asked for, and the next message goes there', async () => {
    const id = await link();
    await send(id, { to: bobsPhone.jid }, 'to the former');
    await phones.request('POST', `/phones/${bob}/new-lid`);
    const { lid } = await phones.get(bob);
    assert.notEqual(lid, bobsPhone.lid);
    await eventually('the new LID is known', async () => {
      const messageId = await send(id, { to: bobsPhone.jid }, 'on');
      return (await sentMessage(id, messageId)).chatLid === lid;
    });
    const messageId = await send(id, { to: bobsPhone.jid }, 'to the new');
    await untilShown(installation, bob, 'to the new');
    await untilEvent(installation, id, 'message.updated', (data: Told) => data.messageId === messageId);
    const elsewhere = (await eventsOf(installation, id)).filter(({ data }) =>
      JSON.stringify(data).includes(`"chat":"${lid}"`),
    );
    assert.deepEqual(elsewhere, [], 'all of it belongs to the one chat');
  });

  it('that is refused with 463, 475 or 479 is tried once, and the next one is sent', async () => {
    const id = await link();
    for (const code of [463, 475, 479]) {
      await phones.faults({ addressing: 'strict', rejectSends: code });
      const refused = await during(async () => assert.equal((await post(id, { to: bobsPhone.jid }, 'no')).status, 500));
      assert.equal(refused.sent, 1, String(code));
      await phones.faults({ addressing: 'strict' });
      await send(id, { to: bobsPhone.jid }, `after ${code}`);
    }
    assert.equal(await shown(bob, 'no'), 0);
  });

  it('that names a device which is gone goes to the others: 479, and once more by the list of now', async () => {
    const id = await link();
    await link(bob);
    await send(id, { to: bobsPhone.jid }, 'to both');
    await untilEvent(installation, id, 'message.updated');
    // The notice of it is still on its way.
    installation.hub.findAccount(bob)!.devices.delete(1);
    const gone = await during(() => send(id, { to: bobsPhone.jid }, 'to the rest'));
    assert.deepEqual(gone, { sent: 2, wrong: 1 });
    assert.equal(await shown(bob, 'to the rest'), 1);
    assert.deepEqual(await during(() => send(id, { to: bobsPhone.jid }, 'known now')), { sent: 1, wrong: 0 });
  });

  it('that the network answers with an internal error may have been sent: a repeat has the same id', async () => {
    const id = await link();
    const key = { headers: { 'idempotency-key': 'internal-error' } };
    await phones.faults({ addressing: 'strict', rejectSends: 503 });
    const url = `/devices/${id}/messages/text`;
    assert.equal((await installation.api.post(url, { to: bobsPhone.jid, message: 'once' }, key)).status, 500);
    await phones.faults({ addressing: 'strict' });
    const sent = await installation.api.post(url, { to: bobsPhone.jid, message: 'once' }, key);
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    await untilShown(installation, bob, 'once');
    assert.equal(await shown(bob, 'once'), 1);
  });

  it('to a group whose mode of addressing has changed: 421, and once more in the new one', async () => {
    await phones.add(cyd, 'Cyd');
    const group = { subject: 'Friends', owner: bob, participants: [ada, cyd] };
    const { jid } = await phones.request<{ jid: string }>('POST', '/groups', group);
    const id = await link();
    await send(id, { to: jid }, 'hello');
    for (const addressingMode of ['pn', 'lid']) {
      await phones.request('PATCH', `/groups/${jid}`, { addressingMode });
      const changed = await during(() => send(id, { to: jid }, `in ${addressingMode}`));
      assert.deepEqual(changed, { sent: 2, wrong: 1 });
      for (const number of [bob, cyd]) {
        await untilShown(installation, number, `in ${addressingMode}`);
        assert.equal(await shown(number, `in ${addressingMode}`), 1);
      }
    }
    assert.ok(adasPhone.jid);
  });
});
