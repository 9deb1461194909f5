/** The contract of looking for chats by a part of their names. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quietGroup } from '../../../support/groups.ts';
import { type OpenStore, record, withStore } from '../fixture.ts';

const other = '120363000000000001@g.us';

export const chatSearchContract = (open: OpenStore): void => {
  describe('a search of chats', () => {
    it(
      'finds a group by a part of its subject, which is newer than the name that history told',
      withStore(open, async ({ stores, device }) => {
        const [{ id }, { id: stranger }] = [await device(), await device()];
        const inGroup = (chat: string) =>
          record('G', { chat, chatNumber: null, isGroup: true, direction: 'in', pushName: 'Eve' });
        const { jid, subject } = quietGroup;
        await stores.changes.commit(id, { messages: [inGroup(jid), inGroup(other), record('A')] });
        const found = async (q: string, of = id) =>
          (await stores.chats.list(of, { limit: 10, cursor: null, q })).items.map(({ chat, name }) => [chat, name]);
        assert.deepEqual(await found('riend'), []);
        const chats = [{ chat: other, name: 'Friendly neighbours' }];
        await stores.changes.commit(id, { groups: [quietGroup], chats });
        assert.deepEqual(await found('riends'), [[jid, subject]]);
        assert.deepEqual(await found('riendly'), [[other, 'Friendly neighbours']]);
        await stores.changes.commit(id, { groups: [{ ...quietGroup, subject: 'Foes' }] });
        assert.deepEqual([await found('friends'), await found('FOES')], [[], [[jid, 'Foes']]]);
        assert.deepEqual(await found('foes', stranger), []);
        for (const q of ['+49 (151) 1234-5678', '49151 12']) assert.equal((await found(q)).length, 1, q);
        assert.deepEqual(await found(' - '), []);
        await stores.changes.commit(id, { groups: [{ ...quietGroup, jid: other, subject: 'Rivals' }] });
        assert.deepEqual([await found('riendly'), await found('rivals')], [[], [[other, 'Rivals']]]);
      }),
    );
  });
};
