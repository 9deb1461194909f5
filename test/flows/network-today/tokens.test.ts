/** The network of 2026, privacy tokens, time locks and caps: what a first message carries, and what is said when it is refused. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, linkDevice } from '../steps.ts';

interface PhoneView {
  readonly phone: {
    readonly tokens: { readonly carried: Readonly<Record<'tctoken' | 'cstoken' | 'wrong' | 'none', number>> };
  };
}

/** People in old chats of Ada's: more than one chunk of history holds. */
const old = Array.from({ length: 55 }, (_, n) => String(491_520_000_000 + n));
const [hers, his, new1, new2, new3, new4] = Array.from({ length: 6 }, (_, n) => String(491_530_000_000 + n));

describe('a message to a person who demands a token', () => {
  let installation: Installation;
  let id: number;
  const write = (toNumber: string, message = 'hello') =>
    installation.api.post(`/devices/${id}/messages/text`, { toNumber, message });
  const carried = async (number: string) =>
    (await installation.phones.request<PhoneView>('GET', `/phones/${number}`)).phone.tokens.carried;
  const demand = (number: string) => installation.phones.behave(number, { requiresToken: true });
  const giveTo = (receiver: string, giver: string) =>
    installation.phones.request('PUT', `/phones/${giver}/tokens/${receiver}`);

  before(async () => {
    installation = await startInstallation();
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

  it('that is refused with 463 says that the account has no restriction', async () => {
    await installation.phones.faults({ rejectSends: 463 });
    const { status, body } = await write(new1!);
    assert.equal(status, 500);
    assert.match(body.status.message, /the network refuses the chat \(463\) and tells of no restriction/);
  });

  it('time lock: the session and the send say until when, and chats that are there go on', async () => {
    const reason = async () => (await installation.api.get(`/devices/${id}/session`)).body.session.reason;
    assert.equal((await write(new2!)).status, 200);
    await installation.phones.faults({ timeLock: { seconds: 30 * 86_400 } });
    await eventually('the reason', async () =>
      /restricted the account: it may not begin new chats until .*Chats that are there go on/.test(await reason()),
    );
    const refused = await write(new3!);
    assert.equal(refused.status, 500);
    assert.match(
      refused.body.status.message,
      /^Failed to send message: the account may not begin new chats until 20.*Z/,
    );
    assert.equal((await write(new2!)).status, 200);
    await installation.phones.faults({});
    await eventually('it is over', async () => (await reason()) === null);
    assert.equal((await write(new3!)).status, 200);
  });

  it('cap of new chats: the send that is one too many says how many there may be, and until when', async () => {
    await installation.phones.faults({ newChatCap: { limit: 1, seconds: 600 } });
    assert.equal((await write(new1!)).status, 200);
    const refused = await write(new4!);
    assert.equal(refused.status, 500);
    assert.match(refused.body.status.message, /as many new chats as the network allows \(1 of 1\).*until 20.*Z/);
    assert.equal((await write(new3!)).status, 200);
  });
});
