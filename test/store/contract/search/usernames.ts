/** The contract of usernames: kept by LID, read with contacts and chats, and told when they change. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KeyChange } from '../../../../src/domain/changes.ts';
import { logOf } from '../../../support/event-log.ts';
import { bytes, chatA, lidA, type OpenStore, withStore } from '../fixture.ts';

const page = { limit: 100, cursor: null };
const lidUser = lidA.split('@')[0]!;

const pair: readonly KeyChange[] = [
  { type: 'lid-mapping', id: '4915112345678', value: bytes(lidUser) },
  { type: 'lid-mapping', id: `${lidUser}_reverse`, value: bytes('4915112345678') },
];

const named = (username: string, at: number): KeyChange => ({
  type: 'username',
  id: lidUser,
  value: bytes(`${at} ${username}`),
});

export const usernamesContract = (open: OpenStore): void => {
  describe('usernames', () => {
    it(
      'are told by LID, and under the number that a pair has given; contacts, chats and searches have the newest',
      withStore(open, async ({ stores, device }) => {
        const { id } = await device();
        let seen = 0;
        const commit = (changes: Parameters<typeof stores.changes.commit>[1]) => stores.changes.commit(id, changes);
        const told = async (): Promise<unknown[]> => {
          const log = (await logOf(stores.events, id)).slice(seen);
          seen += log.length;
          return log.map(({ event }) => event.data);
        };
        await commit({ keys: [named('ann', 1)] });
        assert.deepEqual(await told(), [], 'the first that is learned is no change');
        await commit({ keys: [named('anna', 2)] });
        assert.deepEqual(await told(), [{ jid: lidA, number: null, lid: lidA, change: { username: 'anna' } }]);
        await commit({ keys: [...pair, named('anna', 3)], chats: [{ chat: chatA, at: 1 }] });
        await commit({ contacts: [{ jid: chatA, pushName: 'A.' }] });
        assert.deepEqual(await told(), []);
        const { items: contacts } = await stores.contacts.list(id, { ...page, q: '@ANN' });
        assert.deepEqual(
          contacts.map(({ jid, username }) => [jid, username]),
          [[chatA, 'anna']],
        );
        const { items: chats } = await stores.chats.list(id, { ...page, q: 'nna' });
        assert.deepEqual(
          chats.map(({ chat, username }) => [chat, username]),
          [[chatA, 'anna']],
        );
        assert.deepEqual(await stores.usernames.of(id, [null, lidA, '5@lid', lidA]), [null, 'anna', null, 'anna']);
        await commit({ keys: [named('', 4)] });
        const gone = { jid: chatA, number: '4915112345678', lid: lidA, change: { username: null } };
        assert.deepEqual(await told(), [gone]);
        assert.equal((await stores.contacts.find(id, lidA))?.username, null);
        await commit({ keys: [named('ann.again', 5)] });
        assert.deepEqual(await told(), [{ ...gone, change: { username: 'ann.again' } }], 'none was known before');
      }),
    );
  });
};
