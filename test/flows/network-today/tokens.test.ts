/** The network of 2026, privacy tokens, time locks and caps: what a first message carries, and what is said when it is refused. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually, untilDayLasts } from '../../support/wait.ts';
import { childOf, childrenOf } from '../../../sandbox/src/base/nodes.ts';
import { ada, linkDevice, untilEvent } from '../steps.ts';

interface PhoneView {
  readonly phone: {
    readonly tokens: { readonly carried: Readonly<Record<'tctoken' | 'cstoken' | 'wrong' | 'none', number>> };
  };
}

interface Limits {
  readonly restrictedUntil: string | null;
  readonly reason: string | null;
  readonly newChats: Readonly<Record<'used' | 'limit', number | null>> & { readonly resetsAt: string | null };
}

interface Limited {
  readonly until: string | null;
  readonly reason: string | null;
}

const own = Array.from({ length: 4 }, (_, n) => String(491_540_000_000 + n));
/** People in old chats of Ada's: more than one chunk of history holds. */
const old = Array.from({ length: 55 }, (_, n) => String(491_520_000_000 + n));
const [hers, his, new1, new2, new3, new4] = Array.from({ length: 6 }, (_, n) => String(491_530_000_000 + n));

describe('a message to a person who demands a token', () => {
  let installation: Installation;
  let id: number;
  /** Whom tokens were given to. */
  const issued: string[] = [];
  const write = (toNumber: string, message = 'hello') =>
    installation.api.post(`/devices/${id}/messages/text`, { toNumber, message });
  const carried = async (number: string) =>
    (await installation.phones.request<PhoneView>('GET', `/phones/${number}`)).phone.tokens.carried;
  const limits = async (): Promise<Limits> => (await installation.api.get(`/devices/${id}/limits`)).body.limits;
  const limited = async (): Promise<readonly Limited[]> =>
    (await installation.api.get(`/devices/${id}/events?types=account.limited`)).body.events.map(
      ({ data }: { data: Limited }) => data,
    );
  const demand = (number: string) => installation.phones.behave(number, { requiresToken: true });
  const giveTo = (receiver: string, giver: string) =>
    installation.phones.request('PUT', `/phones/${giver}/tokens/${receiver}`);

  before(async () => {
    installation = await startInstallation({}, undefined, undefined, {
      record(entry) {
        if (entry.kind !== 'stanza' || entry.from !== 'client' || entry.number !== ada) return;
        for (const { attrs } of childrenOf(childOf(entry.node, 'tokens'))) issued.push(attrs.jid!);
      },
    });
    const { phones } = installation;
    await phones.add(ada, 'Ada');
    for (const number of [...old, hers!, his!, new1!, new2!, new3!, new4!]) await phones.add(number, 'Somebody');
    await giveTo(ada, old.at(-1)!);
    await phones.request('POST', `/phones/${ada}/old-chats`, { with: old, messages: 1 });
    for (const number of [old.at(-1)!, hers!, his!]) await demand(number);
    id = await linkDevice(installation);
  });
  afterEach(() => installation.phones.faults({}));
  after(() => installation[Symbol.asyncDispose]());

  it('carries the tctoken that came with the history, in whichever chunk of it', async () => {
    const giver = old.at(-1)!;
    await eventually('a message with the token', async () => {
      await write(giver);
      return (await carried(giver)).tctoken > 0;
    });
    assert.equal((await carried(giver)).wrong, 0);
  });

  it('carries the cstoken under the NCT salt of the history, where there is no tctoken', async () => {
    await eventually('a message with the token', async () => (await write(hers!)).status === 200);
    const { tctoken, cstoken, wrong } = await carried(hers!);
    assert.deepEqual([tctoken, cstoken > 0, wrong], [0, true, 0]);
  });

  it('carries the tctoken that was told by a notification, and no cstoken then', async () => {
    await giveTo(ada, his!);
    await eventually('a message with the token', async () => {
      assert.equal((await write(his!)).status, 200);
      return (await carried(his!)).tctoken > 0;
    });
    assert.equal((await carried(his!)).wrong, 0);
  });

  it('goes on after a restart with the tokens and the salt that are kept', async () => {
    const [earlier, earlierHers] = [await carried(his!), await carried(hers!)];
    await installation.restart();
    await eventually('the session', async () => (await write(his!)).status === 200);
    assert.equal((await write(hers!)).status, 200);
    assert.ok((await carried(his!)).tctoken > earlier.tctoken);
    assert.ok((await carried(hers!)).cstoken > earlierHers.cstoken);
  });

  it('carries the cstoken by its own switch alone, and tokens go to LIDs at the second login as at the first', async () => {
    const [one, two, three] = Array.from({ length: 3 }, (_, n) => String(491_550_000_000 + n));
    for (const number of [one, two, three]) {
      await installation.phones.add(number!, 'Somebody');
      await demand(number!);
    }
    const on = { 10518: 'true', 14303: 'true', 24941: 'true' };
    const login = async (properties: Record<string, string>) => {
      await installation.phones.faults({ properties });
      await installation.restart();
      // Answered after the question about the switches, which is a step of the login.
      const profile = `/devices/${id}/profile`;
      await eventually('the answer', async () => (await installation.api.get(profile)).status === 200);
    };
    await login({ ...on, 10518: 'false' });
    assert.equal((await write(one!)).status, 200);
    assert.equal((await carried(one!)).cstoken, 1);
    await eventually('a token for them', () => issued.length > 0);
    await login({ ...on, 10518: 'false', 24941: 'false' });
    assert.equal((await write(two!)).status, 500);
    assert.equal((await carried(two!)).none, 1);
    issued.length = 0;
    for (let n = 0; n < 2; n += 1) await login(on);
    assert.equal((await write(three!)).status, 200);
    await eventually('a token for them', () => issued.length > 0);
    assert.ok(
      issued.every((jid) => jid.endsWith('@lid')),
      issued.join(),
    );
  });

  it('that is refused with 463 says that the account has no restriction', async () => {
    await installation.phones.faults({ rejectSends: 463 });
    const { status, body, headers } = await write(new1!);
    // Longer than clients wait by themselves.
    assert.deepEqual([status, headers.get('retry-after')], [500, '600']);
    assert.match(body.status.message, /the network refuses the chat \(463\) and tells of no restriction/);
  });

  it('time lock: the session and the send say until when, and chats that are there go on', async () => {
    const reason = async () => (await installation.api.get(`/devices/${id}/session`)).body.session.reason;
    assert.equal((await write(new2!)).status, 200);
    await installation.phones.faults({ timeLock: { seconds: 30 * 86_400 } });
    await eventually('the reason', async () =>
      /restricted the account: it may not begin new chats until .*Existing chats are not affected/.test(await reason()),
    );
    const refused = await write(new3!);
    assert.equal(refused.status, 500);
    assert.match(
      refused.body.status.message,
      /^Failed to send message: the account may not begin new chats until 20.*Z/,
    );
    assert.equal((await write(new2!)).status, 200);
    const { restrictedUntil, reason: why, newChats } = await limits();
    assert.match(why ?? '', /until 20.*Z \(time lock\).*let people write first\.$/);
    assert.ok(Math.abs(Date.parse(restrictedUntil!) - Date.now() - 30 * 86_400_000) < 60_000, restrictedUntil!);
    assert.deepEqual(newChats, { used: null, limit: null, resetsAt: null });
    await installation.restart();
    await eventually('the session', async () => (await write(new2!)).status === 200);
    assert.equal((await limits()).restrictedUntil, restrictedUntil);
    await installation.phones.faults({});
    await eventually('it is over', async () => (await reason()) === null);
    assert.equal((await write(new3!)).status, 200);
    assert.deepEqual(await limits(), { restrictedUntil: null, reason: null, newChats });
    const told = await limited();
    assert.deepEqual(told, [
      { until: restrictedUntil, reason: why },
      { until: null, reason: null },
    ]);
  });

  it('cap of new chats: the send that is one too many says how many there may be, and until when', async () => {
    await installation.phones.faults({ newChatCap: { limit: 1, seconds: 600 } });
    assert.equal((await write(new1!)).status, 200);
    const refused = await write(new4!);
    assert.equal(refused.status, 500);
    assert.match(refused.body.status.message, /as many new chats as the network allows \(1 of 1\).*until 20.*Z/);
    assert.equal((await write(new3!)).status, 200);
    const { newChats, restrictedUntil, reason } = await limits();
    assert.deepEqual([newChats.used, newChats.limit, newChats.resetsAt], [1, 1, restrictedUntil]);
    assert.match(reason ?? '', /as many new chats as the network allows \(1 of 1\)/);
    await eventually('it is told', async () => (await limited()).at(-1)?.until === restrictedUntil);
    assert.equal((await limited()).length, 3);
  });

  it('own ceiling: a send that is one chat too many is refused before anything leaves, over restarts', async () => {
    await untilDayLasts();
    const [first, second, third, fourth] = own;
    for (const number of own) await installation.phones.add(number, 'Somebody');
    const settle = (newChatsPerDay: number | null) =>
      installation.api.put(`/devices/${id}/settings`, { newChatsPerDay });
    assert.equal((await settle(2)).body.settings.newChatsPerDay, 2);
    await installation.phones.write(fourth!, { to: ada, text: 'I write first' });
    await untilEvent(installation, id, 'message.received', () => true);
    const path = `/devices/${id}/messages/text`;
    const answers = await Promise.all(
      [first, second, third, first].map((toNumber) => installation.api.post(path, { toNumber, message: 'hello' })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    assert.deepEqual(
      refused.map(({ status }) => status),
      [429],
    );
    const { body, headers } = refused[0]!;
    assert.match(body.status.message, /^Daily limit of new chats reached \(newChatsPerDay: 2\); .* from 20.*T00:00:00/);
    const left = Math.ceil((Date.parse(body.status.message.match(/20[^ ]*Z/)![0]) - Date.now()) / 1_000);
    assert.ok(Math.abs(Number(headers.get('retry-after')) - left) <= 5, headers.get('retry-after') ?? 'none');
    assert.deepEqual(await installation.phones.messages(third!), []);
    assert.equal((await write(fourth!)).status, 200);
    assert.equal((await write(first!)).status, 200);
    await installation.restart();
    await eventually('the session', async () => (await write(first!)).status === 200);
    assert.equal((await write(third!)).status, 429);
    const { newChats, restrictedUntil, reason } = await limits();
    assert.deepEqual([newChats.used, newChats.limit], [2, 2]);
    assert.equal(newChats.resetsAt, restrictedUntil);
    assert.match(reason ?? '', /its own limit of new chats \(2 a day\)/);
    await settle(3);
    const repeated = { headers: { 'Idempotency-Key': 'once' } };
    for (let run = 0; run < 2; run += 1)
      assert.equal((await installation.api.post(path, { toNumber: third, message: 'hello' }, repeated)).status, 200);
    assert.equal((await limits()).newChats.used, 3);
    await settle(0);
    const none = await limits();
    assert.deepEqual([none.restrictedUntil, /may begin no new chats: its own/.test(none.reason ?? '')], [null, true]);
    const never = (await installation.api.post(path, { toNumber: new4, message: 'hello' })).body.status;
    assert.deepEqual([never.code, /newChatsPerDay: 0\)\. Existing/.test(never.message)], [429, true]);
    await settle(null);
    assert.deepEqual((await limits()).newChats, { used: null, limit: null, resetsAt: null });
  });

  it('a person on the list is refused by every address and kind of message, before anything leaves; groups are not', async () => {
    const [person, other] = own;
    const { jid, lid } = await installation.phones.get(person!);
    const { api, phones } = installation;
    const path = `/devices/${id}/messages`;
    const { messageId } = (await write(person!, 'before')).body;
    const group = await phones.request<{ jid: string }>('POST', '/groups', {
      subject: 'All',
      owner: person,
      participants: [ada],
    });
    const added = await api.post('/suppressions', { number: person, reason: 'asked' });
    assert.partialDeepStrictEqual(added.body.suppression, { number: person, lid: null, reason: 'asked' });
    const kept = (await phones.messages(person!)).length;
    const media = { mediaUrl: `http://127.0.0.1:9/picture` };
    const attempts: readonly [string, string, object][] = [
      ['POST', '/text', { toNumber: person, message: 'no' }],
      ['POST', '/text', { to: jid, message: 'no' }],
      ['POST', '/text', { to: lid, message: 'no' }],
      ['POST', '/media', { toNumber: person, ...media }],
      ['POST', '/document', { to: lid, ...media }],
      ['POST', '/location', { to: jid, latitude: 1, longitude: 2 }],
      ['POST', '/poll', { toNumber: person, question: 'x', options: ['y', 'z'] }],
      ['POST', `/${messageId}/forward`, { toNumber: person }],
      ['PUT', `/${messageId}`, { message: 'no' }],
      ['PUT', `/${messageId}/reaction`, { reaction: '👍' }],
      ['PUT', `/${messageId}/pin`, { pinned: true }],
    ];
    for (const [method, tail, body] of attempts) {
      const { status, body: answer } = await api.call(method, path + tail, body);
      assert.equal(status, 403, `${tail} ${JSON.stringify(answer)}`);
      assert.match(answer.status.message, /^This number is on your suppression list/);
    }
    assert.equal((await phones.messages(person!)).length, kept);
    assert.equal((await write(other!)).status, 200);
    const toGroup = await api.post(`${path}/text`, { to: group.jid, message: 'hello all' });
    assert.equal(toGroup.status, 200, JSON.stringify(toGroup.body));
    assert.equal((await api.delete(`${path}/${messageId}`)).status, 200, 'taken back');
    assert.equal((await api.delete(`/suppressions/${person}`)).status, 200);
    assert.equal((await write(person!, 'after')).status, 200);
    assert.equal((await api.delete(`/suppressions/${person}`)).status, 404);
  });

  it('stop word: whoever writes it is listed with the message, and gets no answer to a call either', async () => {
    const [, person] = own;
    const { api, phones } = installation;
    const settings = { stopWords: [' Stop ', 'Stop', 'unsubscribe'], rejectCalls: 'Please write' };
    const { body } = await api.put(`/devices/${id}/settings`, settings);
    assert.deepEqual(body.settings.stopWords, ['Stop', 'unsubscribe']);
    assert.equal((await api.put(`/devices/${id}/settings`, { stopWords: [' '] })).status, 400);
    await phones.write(person!, { to: ada, text: ' stóp ' });
    const [entry] = await eventually('the entry', async () => {
      const { suppressions } = (await api.get('/suppressions')).body;
      return suppressions.length > 0 && suppressions;
    });
    assert.partialDeepStrictEqual(entry, { number: person, source: 'stopWord', reason: 'Wrote "Stop"' });
    assert.equal((await write(person!)).status, 403);
    const kept = (await phones.messages(person!)).length;
    await phones.request('POST', `/phones/${person}/call`, { to: ada });
    await untilEvent(installation, id, 'call', ({ status }) => status === 'reject');
    await phones.request('POST', `/phones/${own[2]}/call`, { to: ada });
    await eventually('an answer to another caller', async () =>
      (await phones.messages(own[2]!)).some(({ text }) => text === 'Please write'),
    );
    assert.equal((await phones.messages(person!)).length, kept);
    await installation.restart();
    await eventually('the session', async () => (await write(own[2]!)).status === 200);
    assert.equal((await write(person!)).status, 403);
  });
});
