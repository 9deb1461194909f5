/** Restrictions on accounts, as a stock client meets them: bans, time locks, caps on new chats. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';

import type { NewChatMessageCapInfo } from 'baileys';

import { systemClock } from '../../../sandbox/src/base/clock.ts';
import {
  addPhone,
  closed,
  connect,
  type Linked,
  linkedSocket,
  type Network,
  opened,
  stanza,
  startNetwork,
  until,
} from './support.ts';

let network: Network;
let ada: Linked;
let bob: Linked;
/** How far the server's clock is ahead. */
let ahead = 0;

before(async () => {
  network = await startNetwork({ clock: { ...systemClock, now: () => Date.now() + ahead } });
  [ada, bob] = await Promise.all([
    linkedSocket(network, '4915170000011', 'Ada'),
    linkedSocket(network, '4915170000012', 'Bob'),
  ]);
});
afterEach(() => network.hub.clearFaults());
after(async () => {
  await network.close();
  assert.deepEqual(network.problems, []);
});

const errorOfTextTo = async (number: string): Promise<string | undefined> => {
  const ack = stanza(ada.socket, 'CB:ack,class:message');
  await ada.socket.sendMessage(`${number}@s.whatsapp.net`, { text: 'hello' });
  return (await ack).attrs.error;
};

/** The `<failure>` with which the next login is refused. */
const failureOf = async (): Promise<Record<string, string>> => {
  const socket = connect(network, ada.companion);
  const failure = stanza(socket, 'CB:failure');
  return (await failure).attrs;
};

const comeBack = async (): Promise<void> => {
  const [first, second] = [connect(network, ada.companion), connect(network, bob.companion)];
  await Promise.all([opened(first), opened(second)]);
  ada = { ...ada, socket: first };
  bob = { ...bob, socket: second };
};

test('a temporary ban ends the stream with 503, and is told with its code and its end at each login until it is over', async () => {
  const ended = closed(ada.socket);
  network.hub.setFaults({ temporaryBan: { code: 104, seconds: 3_600 } });
  assert.equal(await ended, 503);
  assert.deepEqual(await failureOf(), { reason: '402', code: '104', expire: '3600', location: 'sandbox' });
  ahead += 3_000_000;
  const { expire } = await failureOf();
  assert.ok(Number(expire) > 590 && Number(expire) <= 600, expire);
  ahead += 601_000;
  await comeBack();
});

test('any other failure of a connection', async () => {
  network.hub.setFaults({ connectFailure: 403 });
  assert.deepEqual(await failureOf(), { reason: '403', location: 'sandbox' });
  network.hub.setFaults({ connectFailure: null });
  await comeBack();
});

test('a time lock refuses new chats with 463, lets old ones be, and is told', async () => {
  const stranger = addPhone(network.hub, '4915170000013').account.number;
  assert.equal(await errorOfTextTo(bob.account.number), undefined);
  const told = until(ada.socket, ({ reachoutTimeLock }) => reachoutTimeLock?.isActive === true);
  network.hub.setFaults({ timeLock: { seconds: 600 } });
  await told;
  assert.equal(await errorOfTextTo(stranger), '463');
  assert.equal(await errorOfTextTo(bob.account.number), undefined);
  const { isActive, timeEnforcementEnds } = await ada.socket.fetchAccountReachoutTimelock();
  const left = (timeEnforcementEnds?.getTime() ?? 0) - (Date.now() + ahead);
  assert.ok(isActive && left > 590_000 && left <= 601_000, String(left));
  ahead += 600_001;
  assert.equal((await ada.socket.fetchAccountReachoutTimelock()).isActive, false);
  assert.equal(await errorOfTextTo(stranger), undefined);
});

test('more new chats than the cap allows are refused with 475, and the cap is told', async () => {
  const strangers = ['4915170000014', '4915170000015', '4915170000016'].map(
    (number) => addPhone(network.hub, number).account.number,
  );
  network.hub.setFaults({ newChatCap: { limit: 2, seconds: 600 } });
  const told = new Promise<NewChatMessageCapInfo>((resolve) => {
    ada.socket.ev.on('message-capping.update', resolve);
  });
  const errors: (string | undefined)[] = [];
  for (const stranger of [...strangers, strangers[0]!]) errors.push(await errorOfTextTo(stranger));
  assert.deepEqual(errors, [undefined, undefined, '475', undefined]);
  assert.equal((await told).capping_status, 'CAPPED');
  const cap = await ada.socket.fetchNewChatMessageCap();
  assert.partialDeepStrictEqual(cap, { total_quota: 2, used_quota: 2, capping_status: 'CAPPED' });
  assert.equal(Number(cap.cycle_end_timestamp) - Number(cap.cycle_start_timestamp), 600);
  ahead += 600_001;
  assert.equal(await errorOfTextTo(strangers[2]!), undefined);
  assert.equal((await ada.socket.fetchNewChatMessageCap()).capping_status, 'NONE');
});

test('what somebody wrote first is no new chat', async () => {
  const other = await linkedSocket(network, '4915170000017', 'Cyd');
  const arrived = stanza(bob.socket, 'CB:message');
  await other.socket.sendMessage(bob.account.jid, { text: 'I am first' });
  await arrived;
  network.hub.setFaults({ timeLock: { seconds: 600 } });
  const ack = stanza(bob.socket, 'CB:ack,class:message');
  await bob.socket.sendMessage(other.account.jid, { text: 'and I answer' });
  assert.equal((await ack).attrs.error, undefined);
});
