/** Numbers of people in groups whose stanzas name them by LID alone: descriptions and notices of groups tell both. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type Installation, startInstallation } from '../../support/installation.ts';
import type { Phones, SandboxPhone } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, linkDevice, untilEvent, untilShown } from '../steps.ts';

const cyd = '4915550003333';
const dot = '4915550004444';

interface Received {
  readonly message: {
    readonly text: string;
    readonly chat: string;
    readonly from: string;
    readonly fromNumber: string;
  };
}
describe('people of a group', () => {
  let installation: Installation;
  let phones: Phones;
  let id: number;
  let group: string;
  const people = new Map<string, SandboxPhone>();
  const get = async (path: string) => (await installation.api.get(`/devices/${id}${path}`)).body;
  const received = async (text: string) => {
    const event = await untilEvent(
      installation,
      id,
      'message.received',
      ({ message }: Received) => message.text === text,
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the interface says of this type of event
    return (event.data as Received).message;
  };
  const send = async (body: object): Promise<string> => {
    const sent = await installation.api.post(`/devices/${id}/messages/text`, body);
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    return sent.body.messageId as string;
  };

  beforeEach(async () => {
    installation = await startInstallation();
    phones = installation.phones;
    await phones.faults({ addressing: 'strict', hideNumbers: true });
    for (const number of [ada, bob, cyd, dot]) people.set(number, await phones.add(number, `Phone ${number}`));
    const body = { subject: 'Friends', owner: bob, participants: [ada, cyd], addressingMode: 'lid' };
    group = (await phones.request<{ jid: string }>('POST', '/groups', body)).jid;
    id = await linkDevice(installation, ada);
  });
  afterEach(() => installation[Symbol.asyncDispose]());

  it('are known by number in messages, chats and receipts once the group is described, also after a restart', async () => {
    const { jid, lid } = people.get(cyd)!;
    assert.equal((await get(`/groups/${group}`)).group.members.length, 3);
    await installation.restart();
    await eventually('the session', async () => (await get('/session')).session.state === 'open');
    await phones.write(cyd, { to: group, text: 'in the group' });
    const message = await received('in the group');
    assert.deepEqual([message.from, message.fromNumber], [jid, cyd]);
    const messageId = await send({ to: lid, message: 'to the LID' });
    await untilShown(installation, cyd, 'to the LID');
    assert.equal((await get(`/messages/${messageId}?chat=${jid}`)).message.chat, jid);
    const { chats } = await get('/chats');
    assert.deepEqual(chats.map(({ chat }: { chat: string }) => chat).toSorted(), [jid, group].toSorted());
    assert.equal((await untilShown(installation, ada, 'to the LID')).chat, jid, 'the copy on the own phone');
    const said = await send({ to: group, message: 'to the group' });
    await eventually('the receipts of both', async () => {
      const { receipts } = await get(`/messages/${said}/receipts`);
      const numbers = receipts.map(({ person }: { person: { number: string | null } }) => person.number);
      return numbers.toSorted().join() === [bob, cyd].join();
    });
  });

  it('are known by number once a notice names them', async () => {
    await get('/groups');
    await phones.request('PATCH', `/groups/${group}`, { add: [dot] });
    await eventually('the notice', async () => (await get(`/groups/${group}`)).group.members.length === 4);
    await phones.write(dot, { to: group, text: 'I am new' });
    assert.equal((await received('I am new')).fromNumber, dot);
  });

  it('who hide their number are known by LID alone, everywhere', async () => {
    await phones.behave(cyd, { hidesNumber: true });
    const { lid } = people.get(cyd)!;
    const { members } = (await get(`/groups/${group}`)).group;
    const shown = new Set(members.map(({ person }: { person: { number: string | null } }) => person.number));
    assert.deepEqual(shown, new Set([ada, bob, null]));
    await phones.write(cyd, { to: group, text: 'nobody sees my number' });
    const message = await received('nobody sees my number');
    assert.deepEqual([message.from, message.fromNumber], [lid, null]);
    const messageId = await send({ to: lid, message: 'to a person without a number' });
    await untilShown(installation, cyd, 'to a person without a number');
    assert.equal((await get(`/messages/${messageId}?chat=${lid}`)).message.chat, lid);
  });

  it('are mentioned by LID on the wire, and by number in the log', async () => {
    await get(`/groups/${group}`);
    const lidOf = (number: string): string => people.get(number)!.lid.split('@')[0]!;
    const text = `for @${lidOf(cyd)} and @${lidOf(bob)}9`;
    await phones.write(bob, { to: group, text, mentions: [cyd, bob] });
    await received(`for @${cyd} and @${lidOf(bob)}9`);
    const [messageId] = await phones.write(bob, { to: group, text: `@${lidOf(cyd)}, come`, mentions: [cyd] });
    await received(`@${cyd}, come`);
    const sent = await send({ to: group, message: `@${cyd}, so it is`, mentions: [cyd], quotedMessageId: messageId });
    const shown = await untilShown(installation, bob, `@${lidOf(cyd)}, so it is`);
    assert.equal(shown.id, sent);
    const { message } = await get(`/messages/${sent}`);
    assert.deepEqual([message.text, message.mentions[0].number], [`@${cyd}, so it is`, cyd]);
  });
});
