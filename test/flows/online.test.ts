/** The setting `online`: what others see of the account while its phone is off (docs/spec/devices.md, Settings). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Companion, type Place } from '../sandbox/companion.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, linkDevice, untilEvent, untilOpen } from './steps.ts';

const cyd = '4915550003333';
let installation: Installation;
/** Follows the presence of Ada's account. */
let watcher: Companion;
let device: number;
const seen: (string | undefined)[] = [];

const set = (settings: object) => installation.api.put(`/devices/${device}/settings`, settings);
const get = async (): Promise<object> => (await installation.api.get(`/devices/${device}/settings`)).body.settings;

before(async () => {
  installation = await startInstallation();
  const { phones } = installation;
  await addPhones(installation);
  await phones.add(cyd, 'Cyd');
  device = await linkDevice(installation);
  await phones.behave(ada, { online: false });
  watcher = new Companion(await phones.request<Place>('GET', ''));
  await watcher.link((qr) => phones.scan(cyd, qr));
  watcher.socket.ev.on('presence.update', ({ presences }) => {
    seen.push(...Object.values(presences).map(({ lastKnownPresence }) => lastKnownPresence));
  });
  await watcher.socket.presenceSubscribe((await phones.get(ada)).jid);
  await eventually('the first presence', () => seen.length > 0);
});
after(async () => {
  await watcher[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

/** Bob writes, and the device has it. The id of the message. */
const written = async (text: string): Promise<string> => {
  const [id] = await installation.phones.write(bob, { to: ada, text });
  const isIt = (data: { message: { id: string } }): boolean => data.message.id === id;
  await untilEvent(installation, device, 'message.received', isIt);
  return id!;
};

/** One or two ticks, as Bob sees them. */
const stateOf = async (id: string): Promise<string | undefined> =>
  (await installation.phones.messages(bob)).find((message) => message.id === id)?.state;

const untilDelivered = (id: string) => eventually('the second tick', async () => (await stateOf(id)) === 'delivered');

test('while it is off, the account is away and senders see one tick', async () => {
  assert.partialDeepStrictEqual(await get(), { online: false });
  assert.deepEqual(seen, ['unavailable']);
  const silent = await written('are you there?');
  assert.partialDeepStrictEqual((await set({ online: true })).body.settings, { online: true });
  // In the order of the connection: a receipt for the first message would have come before that for the second.
  await untilDelivered(await written('and now?'));
  assert.equal(await stateOf(silent), 'accepted');
});

test('while it is on, the account is online, also after a new login', async () => {
  await eventually('online', () => seen.at(-1) === 'available');
  await installation.api.post(`/devices/${device}/restart`);
  await eventually('away and back', () => seen.slice(-2).join() === 'unavailable,available');
  await untilOpen(installation, device);
  await untilDelivered(await written('after the login'));
});

test('turned off, it follows at once', async () => {
  assert.equal((await set({ online: false })).status, 200);
  await eventually('away', () => seen.at(-1) === 'unavailable');
  assert.partialDeepStrictEqual((await set({})).body.settings, { online: false });
});

test('what is no setting is refused by name', async () => {
  for (const [body, words] of [
    [{ online: 'yes' }, /online must be true or false/],
    [{ onlin: true }, /onlin.*online/],
    [{ online: null }, /online must be true or false/],
  ] as const) {
    const { status, body: answer } = await set(body);
    assert.equal(status, 400);
    assert.match(answer.status.message, words);
  }
  assert.equal((await installation.api.get('/devices/999999/settings')).status, 404);
  assert.partialDeepStrictEqual(await get(), { online: false });
});
