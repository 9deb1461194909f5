/** All that people do in a chat, through the HTTP interface: who is addressed how, and what is told of it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Installation, startInstallation } from '../support/installation.ts';
import type { SandboxPhone } from '../support/phones.ts';
import { eventually } from '../support/wait.ts';
import { ada, bob, eventsOf, linkDevice, untilEvent, untilShown } from './steps.ts';

const cyd = '4915550003333';

interface Told {
  readonly messageId: string;
  readonly message: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly update: Readonly<Record<string, unknown>>;
  readonly callId: string;
  readonly status: string;
}

const untilReason = async (reason: () => Promise<string | null>, expected: RegExp | null): Promise<void> => {
  await eventually(`the reason ${String(expected)}`, async () => {
    const now = await reason();
    return expected === null ? now === null : expected.test(now ?? '');
  });
};

describe('a conversation', () => {
  let installation: Installation;
  let id: number;
  let adasPhone: SandboxPhone;
  let bobsPhone: SandboxPhone;
  let group: string;
  const told = async (type: string, matches: (data: Told) => boolean): Promise<Record<string, unknown>> =>
    (await untilEvent(installation, id, type, matches)).data as Record<string, unknown>;
  const received = async (messageId: string) =>
    (await told('message.received', ({ message }) => message.id === messageId)).message;
  const act = <T>(path: string, body: object = {}) => installation.phones.request<T>('POST', path, body);
  const post = (to: object, message: string) =>
    installation.api.post(`/devices/${id}/messages/text`, { ...to, message });
  const send = async (to: object, message: string): Promise<string> => {
    const sent = await post(to, message);
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    return sent.body.messageId;
  };
  const write = async (from: string, to: string, more: object): Promise<string> =>
    (await installation.phones.write(from, { to, ...more }))[0]!;

  before(async () => {
    installation = await startInstallation();
    adasPhone = await installation.phones.add(ada, 'Ada');
    bobsPhone = await installation.phones.add(bob, 'Bob');
    await installation.phones.add(cyd, 'Cyd');
    group = (await act<{ jid: string }>('/groups', { subject: 'Friends', owner: bob, participants: [ada, cyd] })).jid;
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('sends to a number, a phone JID and a LID land in one chat, with both addresses', async () => {
    for (const [how, to] of Object.entries({
      number: { toNumber: bob },
      'phone JID': { to: bobsPhone.jid },
      LID: { to: bobsPhone.lid },
    })) {
      const messageId = await send(to, `by ${how}`);
      assert.equal((await untilShown(installation, bob, `by ${how}`)).chat, adasPhone.jid);
      const { message, source } = await told('message.sent', (data) => data.message.id === messageId);
      assert.equal(source, 'api');
      assert.partialDeepStrictEqual(message, {
        chat: bobsPhone.jid,
        chatNumber: bob,
        chatLid: bobsPhone.lid,
        from: adasPhone.jid,
        fromNumber: ada,
        fromLid: adasPhone.lid,
      });
      const updated = await told('message.updated', (data) => data.messageId === messageId);
      assert.partialDeepStrictEqual(updated, { chat: bobsPhone.jid, chatNumber: bob, chatLid: bobsPhone.lid });
    }
  });

  it('a phone that answers from its LID is in the same chat, with both addresses, and can be answered', async () => {
    const [messageId] = await installation.phones.write(bob, { to: adasPhone.lid, text: 'from my LID' });
    const { message } = await told('message.received', (data) => data.message.id === messageId);
    assert.partialDeepStrictEqual(message, {
      chat: bobsPhone.jid,
      chatNumber: bob,
      chatLid: bobsPhone.lid,
      from: bobsPhone.jid,
      fromNumber: bob,
      fromLid: bobsPhone.lid,
    });
    await send({ to: (message as { chat: string }).chat }, 'to where you wrote from');
    assert.equal((await untilShown(installation, bob, 'to where you wrote from')).chat, adasPhone.jid);
  });

  it('group messages go both ways, and say who wrote', async () => {
    const messageId = await send({ to: group }, 'hello all');
    for (const number of [bob, cyd]) {
      assert.equal((await untilShown(installation, number, 'hello all')).chat, group);
    }
    assert.partialDeepStrictEqual((await told('message.sent', (data) => data.message.id === messageId)).message, {
      chat: group,
      isGroup: true,
      chatNumber: null,
      chatLid: null,
    });
    const answer = await write(bob, group, { text: 'hello back' });
    assert.partialDeepStrictEqual(await received(answer), {
      chat: group,
      isGroup: true,
      from: bobsPhone.jid,
      fromNumber: bob,
      fromLid: bobsPhone.lid,
      pushName: 'Bob',
      text: 'hello back',
    });
  });

  it('an address that nobody has is refused as the mistake that it is', async () => {
    for (const to of ['4915559999999@s.whatsapp.net', '123456789012345@lid']) {
      const sent = await post({ to }, 'anybody?');
      const { code, message } = sent.body.status;
      assert.deepEqual([code, message], [400, 'to is not on the network: there is no such account'], to);
    }
  });

  it('a group that the account is not in, or that nobody has, is refused as the mistake that it is', async () => {
    const { jid } = await act<{ jid: string }>('/groups', { subject: 'Without Ada', owner: bob, participants: [cyd] });
    const refusals = [
      [jid, 'to cannot be written to: the account is not in this group'],
      ['120363999999999999@g.us', 'to is not on the network: there is no such group'],
    ] as const;
    for (const [to, message] of refusals) {
      const sent = await post({ to }, 'may I?');
      assert.deepEqual([sent.status, sent.body.status.message], [400, message]);
    }
  });

  it('edits, reactions and revokes are told with both addresses, in a chat and in a group', async () => {
    for (const chat of [ada, group]) {
      const messageId = await write(bob, chat, { text: 'firts' });
      await received(messageId);
      const place =
        chat === group
          ? { chat: group, chatNumber: null, chatLid: null }
          : { chat: bobsPhone.jid, chatNumber: bob, chatLid: bobsPhone.lid };
      const by = { jid: bobsPhone.jid, number: bob, lid: bobsPhone.lid, username: null };
      await act(`/phones/${bob}/messages/${messageId}/edit`, { text: 'first' });
      const edit = await told('message.updated', (data) => data.messageId === messageId && 'text' in data.update);
      assert.partialDeepStrictEqual(edit, { ...place, update: { text: 'first' } });
      await act(`/phones/${bob}/messages/${messageId}/react`, { emoji: '👍' });
      const reaction = await told(
        'message.updated',
        (data) => data.messageId === messageId && 'reaction' in data.update,
      );
      assert.partialDeepStrictEqual(reaction, { ...place, update: { reaction: '👍', from: by } });
      await act(`/phones/${bob}/messages/${messageId}/revoke`);
      const revoke = await told('message.deleted', (data) => data.messageId === messageId);
      assert.partialDeepStrictEqual(revoke, { ...place, by });
    }
  });

  it('a reaction that is taken back is told too', async () => {
    const messageId = await send({ toNumber: bob }, 'like me');
    await untilShown(installation, bob, 'like me');
    for (const emoji of ['❤️', '']) await act(`/phones/${bob}/messages/${messageId}/react`, { emoji });
    const back = await told(
      'message.updated',
      (data) => data.messageId === messageId && 'reaction' in data.update && !data.update.reaction,
    );
    assert.partialDeepStrictEqual(back.update, { reaction: null });
  });

  it('an answer names what it quotes', async () => {
    const messageId = await send({ toNumber: bob }, 'question?');
    await untilShown(installation, bob, 'question?');
    const answer = await write(bob, ada, { text: 'answer!', quotedId: messageId });
    assert.partialDeepStrictEqual(await received(answer), { quotedMessageId: messageId, text: 'answer!' });
  });

  it('what the account writes on its phone is told as such', async () => {
    const messageId = await write(ada, bobsPhone.lid, { text: 'from my own phone' });
    const { message, source } = await told('message.sent', (data) => data.message.id === messageId);
    assert.equal(source, 'phone');
    assert.partialDeepStrictEqual(message, { chat: bobsPhone.jid, chatNumber: bob, chatLid: bobsPhone.lid });
  });

  it('played: a recording that is listened to is first delivered, then played', async () => {
    const messageId = await write(ada, bob, { audioBase64: Buffer.from('not really a recording').toString('base64') });
    await told('message.sent', (data) => data.message.id === messageId);
    await installation.phones.request('GET', `/phones/${bob}/messages/${messageId}?waitMs=20000`);
    await act(`/phones/${bob}/messages/${messageId}/play`);
    await told('message.updated', (data) => data.messageId === messageId && data.update.status === 'played');
    const states = (await eventsOf(installation, id))
      .filter(({ type, data }) => type === 'message.updated' && (data as Told).messageId === messageId)
      .map(({ data }) => (data as Told).update.status);
    assert.deepEqual(states, ['delivered', 'played']);
    const { message } = await installation.phones.request<{ message: { state: string } }>(
      'GET',
      `/phones/${ada}/messages/${messageId}?state=played&waitMs=20000`,
    );
    assert.equal(message.state, 'played');
  });

  it('calls ring and end, with both addresses of the caller', async () => {
    for (const [reason, status] of [
      ['hangup', 'terminate'],
      ['timeout', 'timeout'],
    ] as const) {
      const { callId } = await act<{ callId: string }>(`/phones/${bob}/call`, { to: ada, video: reason === 'timeout' });
      const offer = await told('call', (data) => data.callId === callId && data.status === 'offer');
      assert.partialDeepStrictEqual(offer, {
        from: bobsPhone.jid,
        fromNumber: bob,
        fromLid: bobsPhone.lid,
        isVideo: reason === 'timeout',
        isGroup: false,
      });
      await installation.phones.request('DELETE', `/calls/${callId}?reason=${reason}`);
      await told('call', (data) => data.callId === callId && data.status === status);
    }
  });

  it('number look-up: the account that exists is found under either national form', async () => {
    // Registered as, and written to as: Brazil with and without the ninth digit, Mexico's 1, Argentina's 9.
    for (const [registered, dialled] of [
      ['551187654321', '5511987654321'],
      ['5521998765432', '552198765432'],
      ['525512345678', '5215512345678'],
      ['5213312345678', '523312345678'],
      ['541112345678', '5491112345678'],
      ['5491187654321', '541187654321'],
    ] as const) {
      await installation.phones.add(registered, `Phone ${registered}`);
      const messageId = await send({ toNumber: dialled }, `to ${dialled}`);
      assert.equal((await untilShown(installation, registered, `to ${dialled}`)).id, messageId);
      const { message } = await told('message.sent', (data) => data.message.id === messageId);
      assert.partialDeepStrictEqual(message, { chat: `${registered}@s.whatsapp.net`, chatNumber: registered });
    }
    const unknown = await post({ toNumber: '5531912345678' }, 'anybody?');
    assert.equal(unknown.status, 400);
  });

  it('restriction: shown in the session, refused in new chats, and gone when it is over', async () => {
    const reason = async () => (await installation.api.get(`/devices/${id}/session`)).body.session.reason;
    await installation.phones.request('PUT', '/faults', { restrict: true });
    await untilReason(reason, /restricted the account: it may not begin new chats until \d{4}-/);
    assert.equal((await post({ toNumber: cyd }, 'a new chat')).status, 500);
    await installation.phones.request('DELETE', '/faults');
    await untilReason(reason, null);
    await send({ toNumber: cyd }, 'allowed again');
  });

  it('passkey gate: shown in the session, until the network asks for none', async () => {
    const dan = '4915550004444';
    await installation.phones.add(dan, 'Dan');
    await installation.phones.request('PUT', '/faults', { passkeyGate: true });
    const { device } = (await installation.api.post('/devices', {})).body;
    await assert.rejects(installation.phones.scan(dan, device.qr), /passkey/);
    const session = async () => (await installation.api.get(`/devices/${device.id}/session`)).body.session;
    await untilReason(async () => (await session()).reason, /passkey/);
    assert.equal((await session()).state, 'passkey_required');
    await installation.phones.request('DELETE', '/faults');
    await installation.api.delete(`/devices/${device.id}`);
  });

  it('every phone decrypted everything', async () => {
    const { decryptFailures, duplicates } = await installation.phones.stats();
    assert.deepEqual([decryptFailures, duplicates], [0, 0]);
  });
});
