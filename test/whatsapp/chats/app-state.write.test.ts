/** The application state as this device writes it: the account's phone and a stock companion follow, and so does the log. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { MessageRecord } from '../../../src/domain/message.ts';
import { isStarred } from '../../../src/domain/messages/annotation.ts';
import { factsOf } from '../../../src/whatsapp/identity/account.ts';
import { parseCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { Companion } from '../../sandbox/companion.ts';
import { eventually } from '../../support/wait.ts';
import { type Rig, startRig, type Watched } from '../driver.support.ts';

const owner = '491510000001';
const ann = '491510000002';

describe('writing the application state', () => {
  let rig: Rig;
  let companion: Companion;
  let deviceId: number;
  let watched: Watched;
  const stars = new Map<string, boolean>();
  const deleted = new Set<string>();

  before(async () => {
    rig = await startRig();
    const { phones } = rig;
    await phones.add(ann, 'Ann');
    ({ deviceId, watched } = await rig.linked(owner, 'Olga'));
    companion = new Companion(rig.sandbox);
    await companion.link((qr) => phones.scan(owner, qr));
    companion.socket.ev.on('messages.update', (updates) => {
      for (const { key, update } of updates) {
        if (key.id && typeof update.starred === 'boolean') stars.set(key.id, update.starred);
      }
    });
    companion.socket.ev.on('messages.delete', (told) => {
      if ('keys' in told) for (const { id } of told.keys) if (id) deleted.add(id);
    });
    await eventually('the keys of the companion', () => companion.creds.myAppStateKeyId);
    await eventually('all of the application state', async () => {
      const bytes = await rig.stores.credentials.loadCredentials(deviceId);
      return factsOf(parseCredentials(bytes!)).appStateKept === true;
    });
  });
  after(async () => {
    await companion?.[Symbol.asyncDispose]();
    await rig?.[Symbol.asyncDispose]();
  });

  const sent = async (to: string): Promise<MessageRecord> =>
    (await rig.send(watched, to, { kind: 'text', text: 'hello' })).record;
  const logged = async ({ id }: MessageRecord) => (await rig.stores.messages.find(deviceId, id))!;
  const starOf = async (message: MessageRecord) =>
    isStarred((await rig.stores.messages.annotations(deviceId, [message], ['star']))[0] ?? []);
  const onPhone = async ({ id }: MessageRecord) =>
    (
      await rig.phones.request<{ message: { starred?: boolean; deletedForMe?: boolean; text: string | null } }>(
        'GET',
        `/phones/${owner}/messages/${id}`,
      )
    ).message;

  it('stars a message of either side, in a chat of two and in a group, and takes the star away', async () => {
    const { phones } = rig;
    const { jid: group } = await phones.request<{ jid: string }>('POST', '/groups', {
      subject: 'Friends',
      owner: ann,
      participants: [owner],
    });
    const [theirs] = await phones.write(ann, { to: group, text: 'theirs' });
    const received = await eventually('it', () => rig.stores.messages.find(deviceId, theirs!));
    for (const message of [await sent(ann), await sent(group), received]) {
      for (const starred of [true, false]) {
        await watched.session.writeAppState([{ kind: 'star', message, starred }]);
        assert.equal(await starOf(message), starred);
        await eventually('the star on the phone', async () => (await onPhone(message)).starred === starred);
        await eventually('the star on the companion', () => stars.get(message.id) === starred);
      }
    }
  });

  it('deletes a message on this account alone', async () => {
    const message = await sent(ann);
    await watched.session.writeAppState([{ kind: 'deleteForMe', message }]);
    assert.ok((await logged(message)).deletedAt);
    await eventually('the deletion on the phone', async () => (await onPhone(message)).deletedForMe === true);
    assert.equal((await onPhone(message)).text, null);
    await eventually('the deletion on the companion', () => deleted.has(message.id));
    const [other] = (await rig.phones.messages(ann)).filter(({ id }) => id === message.id);
    assert.equal(other?.text, 'hello');
  });

  it('keeps what the phone stars and deletes', async () => {
    const [starred, gone] = [await sent(ann), await sent(ann)];
    await eventually('both on the phone', async () =>
      (await rig.phones.messages(owner)).some(({ id }) => id === gone.id),
    );
    await rig.phones.request('POST', `/phones/${owner}/messages/${starred.id}/star`, { starred: true });
    await rig.phones.request('POST', `/phones/${owner}/messages/${gone.id}/delete-for-me`);
    await eventually('the star', () => starOf(starred));
    await eventually('the deletion', async () => (await logged(gone)).deletedAt !== null);
  });

  it('writes at the same time as the phone, and all of it counts', async () => {
    const messages: MessageRecord[] = [];
    for (let n = 0; n < 6; n += 1) messages.push(await sent(ann));
    const last = messages.at(-1)!;
    await eventually('all on the phone', async () =>
      (await rig.phones.messages(owner)).some(({ id }) => id === last.id),
    );
    await Promise.all([
      watched.session.writeAppState(
        messages.slice(0, 3).map((message) => ({ kind: 'star' as const, message, starred: true })),
      ),
      (async () => {
        for (const { id } of messages.slice(3)) {
          await rig.phones.request('POST', `/phones/${owner}/messages/${id}/star`, { starred: true });
        }
      })(),
    ]);
    for (const message of messages) {
      await eventually('the star here', () => starOf(message));
      await eventually('the star on the phone', async () => (await onPhone(message)).starred === true);
    }
  });

  it('names what is wrong: a refusal of the network, and keys that the phone has not shared', async () => {
    const message = await sent(ann);
    await rig.phones.faults({ refuseAppState: 400 });
    const write = () => watched.session.writeAppState([{ kind: 'star', message, starred: true }]);
    await assert.rejects(write, { name: 'InvalidRequest', message: 'The network refuses the change (400)' });
    await rig.phones.faults({});
    const keys = (await rig.stores.credentials.listKeys(deviceId)).filter(({ type }) => type === 'app-state-sync-key');
    const none = keys.map(({ type, id }) => ({ type, id, value: null }));
    await rig.stores.changes.commit(deviceId, { keys: none });
    await assert.rejects(write, { name: 'Conflict' });
    // The phone was asked for them.
    await eventually('the keys', () =>
      write().then(
        () => true,
        () => false,
      ),
    );
    assert.equal(await starOf(message), true);
  });
});
