/** Usernames, from the stanza to the webhook: told, changed, looked up, written to, and taken over by somebody else (docs/spec/chats.md, Usernames). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Installation, startInstallation } from '../../support/installation.ts';
import type { SandboxPhone } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, eventsOf, linkDevice, untilEvent, untilShown } from '../steps.ts';

const cyd = '4915550003333';
const dot = '4915550004444';
const eve = '4915550005555';
const fay = '4915550006666';

describe('usernames', () => {
  let installation: Installation;
  let id: number;
  const phones = new Map<string, SandboxPhone>();
  const lidOf = (number: string): string => phones.get(number)!.lid;
  const call = (method: string, path: string, body?: unknown) =>
    installation.api.call(method, `/devices/${id}${path}`, body);
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const refused = async (body: object) => {
    const { status, headers, body: answer } = await call('POST', '/messages/text', { message: 'hello', ...body });
    return [status, headers.get('handset-reason'), answer.status.message];
  };
  const lookUp = async (...usernames: readonly string[]) =>
    (await done('POST', '/contacts/lookup', { usernames })).contacts;
  const received = (text: string) =>
    untilEvent(
      installation,
      id,
      'message.received',
      ({ message }: { message: { text: string } }) => message.text === text,
    );
  const names = (number: string, behaviour: object) => installation.phones.behave(number, behaviour);

  before(async () => {
    installation = await startInstallation();
    await installation.phones.faults({ addressing: 'strict' });
    for (const number of [ada, bob, cyd, dot, eve, fay])
      phones.set(number, await installation.phones.add(number, `Phone ${number}`));
    await names(cyd, { hidesNumber: true, username: 'cyd.mouse' });
    await names(dot, { hidesNumber: true, username: 'Dot_44' });
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('come with messages and calls, and are found in contacts and chats', async () => {
    const lid = lidOf(cyd);
    await installation.phones.write(cyd, { to: ada, text: 'guess who' });
    const { data } = await received('guess who');
    const told = { fromNumber: null, fromLid: lid, fromUsername: 'cyd.mouse' };
    assert.partialDeepStrictEqual(data, { message: told });
    const { messages } = await done('GET', `/messages?chat=${lid}`);
    assert.partialDeepStrictEqual(messages, [told]);
    assert.partialDeepStrictEqual((await done('GET', `/chats/${lid}`)).chat, { chat: lid, username: 'cyd.mouse' });
    assert.partialDeepStrictEqual((await done('GET', `/contacts/${lid}`)).contact, { lid, username: 'cyd.mouse' });
    for (const q of ['cyd.m', '@CYD', 'mouse']) {
      const { chats } = await done('GET', `/chats?q=${encodeURIComponent(q)}`);
      assert.deepEqual(
        chats.map(({ chat }: { chat: string }) => chat),
        [lid],
      );
      const { contacts } = await done('GET', `/contacts?q=${encodeURIComponent(q)}`);
      assert.deepEqual(
        contacts.map(({ jid }: { jid: string }) => jid),
        [lid],
      );
    }
    await installation.phones.request('POST', `/phones/${cyd}/call`, { to: ada });
    assert.partialDeepStrictEqual((await untilEvent(installation, id, 'call')).data, told);
  });

  it('are changed and taken away; the chat stays', async () => {
    const lid = lidOf(cyd);
    const changed = (username: string | null) =>
      eventually(`the username ${username}`, async () => {
        const { events } = await done('GET', '/events?types=contact.updated');
        return events.find(
          ({ data }: { data: { change: object } }) => 'username' in data.change && data.change.username === username,
        );
      });
    await names(cyd, { username: 'mia' });
    assert.deepEqual((await changed('mia')).data, { jid: lid, number: null, lid, change: { username: 'mia' } });
    await installation.phones.behave(cyd, { migrated: true });
    await installation.phones.faults({ usernameNews: 'hash' });
    await names(cyd, { username: 'by_hash' });
    assert.deepEqual((await changed('by_hash')).data.change, { username: 'by_hash' });
    await names(cyd, { username: null });
    assert.deepEqual((await changed(null)).data, { jid: lid, number: null, lid, change: { username: null } });
    assert.equal((await done('GET', `/chats/${lid}`)).chat.username, null);
    await installation.phones.faults({ usernameNews: 'named' });
    await names(cyd, { username: 'mia' });
    await installation.phones.write(cyd, { to: ada, text: 'me again' });
    assert.partialDeepStrictEqual((await received('me again')).data, {
      message: { chat: lid, fromUsername: 'mia' },
    });
    assert.equal((await done('GET', `/messages?chat=${lid}`)).messages.length, 2, 'one chat');
    await installation.restart();
    await eventually('the device is open', async () => (await call('GET', '/session')).body.session.state === 'open');
    assert.equal((await done('GET', `/contacts/${lid}`)).contact.username, 'mia');
  });

  it('are looked up: found, nobody’s, with a key; what is no name is refused', async () => {
    const nobody = { exists: false, keyRequired: false, jid: null, lid: null, number: null };
    await names(eve, { username: 'eve.shop' });
    assert.deepEqual(await lookUp('@dot_44', 'nobody.here', 'Eve.Shop'), [
      { ...nobody, username: 'dot_44', exists: true, jid: lidOf(dot), lid: lidOf(dot) },
      { ...nobody, username: 'nobody.here' },
      {
        username: 'Eve.Shop',
        exists: true,
        keyRequired: false,
        jid: phones.get(eve)!.jid,
        lid: lidOf(eve),
        number: eve,
      },
    ]);
    await names(fay, { username: 'fay', usernameKey: '1234' });
    const closed = { ...nobody, username: 'fay', exists: true, keyRequired: true };
    const open = { jid: phones.get(fay)!.jid, lid: lidOf(fay), number: fay };
    assert.deepEqual(await lookUp('fay', 'fay:4321', 'fay:1234'), [
      closed,
      closed,
      { ...closed, keyRequired: false, ...open },
    ]);
    for (const username of ['@whatsapp', 'a..b', 'fay:12345', '+4915550002222']) {
      const { status, body } = await call('POST', '/contacts/lookup', { usernames: [username] });
      assert.equal(status, 400, username);
      assert.match(body.status.message, /^usernames must be /, username);
    }
    assert.equal((await call('POST', '/contacts/lookup', { usernames: [] })).status, 400);
    assert.equal((await call('POST', '/contacts/lookup', { usernames: Array(21).fill('bob') })).status, 400);
  });

  it('are written to, and answer; a name that is nobody’s, wrong, or wants a key is refused', async () => {
    const { messageId } = await done('POST', '/messages/text', { toUsername: '@dot_44', message: 'hello Dot' });
    await untilShown(installation, dot, 'hello Dot');
    assert.partialDeepStrictEqual((await done('GET', `/messages/${messageId}`)).message, {
      chat: lidOf(dot),
      chatNumber: null,
    });
    assert.equal((await done('GET', `/chats/${lidOf(dot)}`)).chat.username, 'Dot_44');
    await installation.phones.write(dot, { to: ada, text: 'who is it?' });
    assert.partialDeepStrictEqual((await received('who is it?')).data, { message: { chat: lidOf(dot) } });
    assert.deepEqual(await refused({ toUsername: 'nobody.here' }), [
      400,
      'username_unknown',
      'nobody has this username',
    ]);
    assert.deepEqual((await refused({ toUsername: 'fay' })).slice(0, 2), [400, 'username_key_required']);
    assert.deepEqual((await refused({ toUsername: 'fay', usernameKey: '4321' })).slice(0, 2), [
      400,
      'username_key_required',
    ]);
    await done('POST', '/messages/text', { toUsername: 'fay', usernameKey: '1234', message: 'hello Fay' });
    await untilShown(installation, fay, 'hello Fay');
    for (const [body, words] of [
      [{ toUsername: '@whatsapp' }, /^toUsername must be a username: /],
      [{ toUsername: 'a..b' }, /^toUsername must be a username: /],
      [{ toUsername: 'fay', usernameKey: '12345' }, /^usernameKey must be 4 digits/],
      [{ toUsername: 'fay', to: lidOf(fay) }, /^Exactly one of to, toNumber and toUsername/],
      [
        { toUsername: 'fay', sendAt: new Date(Date.now() + 60_000).toISOString() },
        /^toUsername cannot be sent at a time/,
      ],
    ] as const) {
      const [status, reason, message] = await refused(body);
      assert.deepEqual([status, reason], [400, 'invalid_request']);
      assert.match(message, words);
    }
  });

  it('that go to somebody else between look-up and send lead to who has them now, and move no chat', async () => {
    await done('POST', '/messages/text', { toUsername: 'eve.shop', message: 'to Eve' });
    await untilShown(installation, eve, 'to Eve');
    assert.equal((await lookUp('eve.shop'))[0].lid, lidOf(eve));
    await names(eve, { username: null });
    await names(bob, { username: 'eve.shop' });
    await done('POST', '/messages/text', { toUsername: 'eve.shop', message: 'to whom?' });
    await untilShown(installation, bob, 'to whom?');
    assert.equal((await lookUp('eve.shop'))[0].lid, lidOf(bob));
    const { messages } = await done('GET', `/messages?chat=${lidOf(eve)}`);
    assert.deepEqual(
      messages.map(({ text }: { text: string }) => text),
      ['to Eve'],
    );
    await eventually('one chat of this name', async () => {
      const { chats } = await done('GET', '/chats?q=eve.shop');
      return chats.length === 1 && chats[0].chatLid === lidOf(bob);
    });
  });

  it('are those of members of groups, and of who is blocked', async () => {
    const body = { subject: 'Names', owner: bob, participants: [ada, cyd, dot] };
    const { jid: group } = await installation.phones.request<{ jid: string }>('POST', '/groups', body);
    const usernameOf = async (number: string) => {
      const { members } = (await done('GET', `/groups/${group}`)).group;
      const found = members.find(({ person }: { person: { lid: string } }) => person.lid === lidOf(number));
      return found?.person.username;
    };
    await eventually('the group', async () => (await call('GET', `/groups/${group}`)).status === 200);
    assert.deepEqual([await usernameOf(cyd), await usernameOf(ada)], ['mia', null]);
    await installation.phones.write(dot, { to: group, text: 'in a group' });
    assert.partialDeepStrictEqual((await received('in a group')).data, {
      message: { chat: group, fromLid: lidOf(dot), fromUsername: 'Dot_44' },
    });
    await names(dot, { username: 'dorothy' });
    await eventually('the new name', async () => (await usernameOf(dot)) === 'dorothy');
    await done('PUT', `/contacts/${lidOf(cyd)}`, { blocked: true });
    await done('PUT', `/contacts/${lidOf(cyd)}`, { blocked: false });
  });

  it('the account has one of its own', async () => {
    assert.equal((await done('GET', '/profile')).profile.username, null);
    await names(ada, { username: 'ada.l' });
    assert.equal((await done('GET', '/profile')).profile.username, 'ada.l');
    const events = await eventsOf(installation, id);
    assert.equal(JSON.stringify(events).includes('ada.l'), false, 'its own name is no contact');
  });

  it('are looked up within the limit of numbers', async () => {
    const untilRefused = async (together: number): Promise<boolean> => {
      for (let n = 0; n < 200; n += together) {
        const usernames = Array.from({ length: together }, (_, index) => `stranger_${together}_${n + index}`);
        if ((await call('POST', '/contacts/lookup', { usernames })).status === 429) return true;
      }
      return false;
    };
    assert.deepEqual([await untilRefused(20), await untilRefused(1)], [true, true]);
    assert.deepEqual((await refused({ toUsername: 'never.asked' })).slice(0, 2), [429, 'lookup_limit_reached']);
    assert.equal((await call('GET', '/contacts/lookup?numbers=4915550007777')).status, 429);
    await done('POST', '/messages/text', { toUsername: 'eve.shop', message: 'asked before' });
  });

  it('the own one is set with a key, changed and given up, if the network and its rules let it', async () => {
    const profile = async (body: object): Promise<readonly unknown[]> => {
      const { status, body: answer } = await call('PUT', '/profile', body);
      return [status, status === 200 ? answer.profile.username : answer.status.message];
    };
    const rule = 'username must be a username: ';
    for (const username of ['@whatsapp', 'a..b', 'x', '12345', 'a.com', 'x'.repeat(36), '']) {
      const [status, words] = await profile({ username });
      assert.equal(status, 400, username);
      assert.ok(String(words).startsWith(rule.slice(0, 20)), String(words));
    }
    for (const usernameKey of ['12345', 'abcd', ''])
      assert.deepEqual(await profile({ usernameKey }), [400, 'usernameKey must be 4 digits, or null']);
    assert.deepEqual(await profile({ username: null }), [200, null]);
    const keyless = 'usernameKey: the network does not take it; the account needs a username first';
    assert.deepEqual(await profile({ usernameKey: '4711' }), [400, keyless]);
    await names(eve, { username: 'eve.there' });
    const taken = 'username: somebody else has eve.there, or the network keeps it back';
    assert.deepEqual(await profile({ username: '@eve.there', about: 'never set' }), [400, taken]);
    assert.notEqual((await done('GET', '/profile')).profile.about, 'never set');
    assert.deepEqual(await profile({ username: '@ada.lovelace', usernameKey: '4711' }), [200, 'ada.lovelace']);
    const onPhone = async (): Promise<readonly unknown[]> => {
      const { username, usernameKey }: { username?: unknown; usernameKey?: unknown } =
        await installation.phones.get(ada);
      return [username, usernameKey];
    };
    assert.deepEqual(await onPhone(), ['ada.lovelace', '4711']);
    assert.deepEqual(await profile({ username: 'countess.ada', usernameKey: null }), [200, 'countess.ada']);
    assert.deepEqual(await onPhone(), ['countess.ada', null]);
    assert.deepEqual(await profile({ username: null }), [200, null]);
    assert.deepEqual(await onPhone(), [null, null]);
  });
});
