/** A send to an address that the network does not know, or a group that the account is not in: refused, and nothing of it is in chats and log. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, linkDevice, untilChat } from '../flows/steps.ts';

const cyd = '4915550003333';

describe('a send that the network refuses', () => {
  let installation: Installation;
  let id: number;
  const get = async (path: string) => (await installation.api.get(`/devices/${id}${path}`)).body;
  const send = (to: string, message: string) => installation.api.post(`/devices/${id}/messages/text`, { to, message });
  const held = async () => ({
    chats: (await get('/chats')).chats,
    messages: (await get('/messages')).messages,
    contacts: (await get('/contacts')).contacts,
  });
  const leavesNothing = async (to: string, error: string) => {
    const formerly = await held();
    const { status, body } = await send(to, 'anybody?');
    assert.deepEqual([status, body.status.message], [400, error]);
    assert.deepEqual(await held(), formerly);
    assert.equal((await installation.api.get(`/devices/${id}/chats/${to}`)).status, 404, 'no ghost chat');
  };

  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
    await installation.phones.add(cyd, 'Cyd');
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  for (const to of ['4915559999999@s.whatsapp.net', '123456789012345@lid'])
    it(`to ${to}, which nobody has, leaves no chat and no message`, () =>
      leavesNothing(to, 'to is not on the network: there is no such account'));

  it('to a group that does not exist leaves no chat and no message', () =>
    leavesNothing('120363000000000001@g.us', 'to is not on the network: there is no such group'));

  it('to a group of others leaves no chat and no message', async () => {
    const body = { subject: 'Others', owner: bob, participants: [cyd] };
    const { jid } = await installation.phones.request<{ jid: string }>('POST', '/groups', body);
    await leavesNothing(jid, 'to cannot be written to: the account is not in this group');
  });

  it('by its acknowledgement leaves no chat and no message', async () => {
    await installation.phones.faults({ rejectSends: 404 });
    await leavesNothing(`${cyd}@s.whatsapp.net`, 'to is not on the network: there is no such account');
    await installation.phones.faults({});
    assert.equal((await send(`${cyd}@s.whatsapp.net`, 'again')).status, 200);
    assert.equal((await get(`/chats/${cyd}`)).chat.lastMessage.text, 'again');
  });

  it('leaves a chat that was there as it was', async () => {
    await installation.phones.write(bob, { to: ada, text: 'hello' });
    await untilChat(installation, id, bob);
    await installation.phones.faults({ rejectSends: 404 });
    const formerly = await get(`/chats/${bob}`);
    assert.equal((await send(`${bob}@s.whatsapp.net`, 'gone')).status, 400);
    await installation.phones.faults({});
    assert.deepEqual((await get(`/chats/${bob}`)).chat.lastMessage, formerly.chat.lastMessage);
    const { messages } = await get(`/messages?chat=${bob}`);
    assert.deepEqual(
      messages.map(({ text }: { text: string }) => text),
      ['hello'],
    );
  });

  it('of a group that it was removed from meanwhile leaves the chat without the message', async () => {
    const body = { subject: 'Friends', owner: bob, participants: [ada] };
    const { jid } = await installation.phones.request<{ jid: string }>('POST', '/groups', body);
    await untilChat(installation, id, jid);
    await installation.phones.faults({ rejectSends: 403 });
    const { status, body: answer } = await send(jid, 'still here?');
    await installation.phones.faults({});
    assert.deepEqual(
      [status, answer.status.message],
      [400, 'to cannot be written to: the account is not in this group'],
    );
    assert.equal((await get(`/chats/${jid}`)).chat.lastMessage, null);
    assert.equal((await send(jid, 'yes')).status, 200);
    await eventually('the chat', async () => (await get(`/chats/${jid}`)).chat.lastMessage?.text === 'yes');
  });
});
