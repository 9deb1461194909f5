/** The contract of the list of people who are not written to: found by number and LID, and joined by stop words with their messages. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withStopWords } from '../../../src/domain/chats/stop-words.ts';
import { type OpenStore, record, withStore } from './fixture.ts';

const number = '4915112345678';
const lid = '99887766@lid';
const jidOf = (digits: string) => `${digits}@s.whatsapp.net`;
const pair = [
  { type: 'lid-mapping', id: number, value: new TextEncoder().encode('99887766') },
  { type: 'lid-mapping', id: '99887766_reverse', value: new TextEncoder().encode(number) },
];

export const suppressionsContract = (open: OpenStore): void => {
  describe('suppressions', () => {
    it(
      'are of a user, newest first in pages, and survive a restart; a repetition changes the reason alone',
      withStore(open, async ({ stores: { suppressions, users }, userId, reopen }) => {
        const other = await users.create('other', 1, 0);
        const add = (digits: string, reason: string | null, at: number) =>
          suppressions.add(userId, { number: digits, reason }, at);
        const first = { number, lid: null, reason: null, source: 'request', createdAt: 5 };
        assert.deepEqual(await add(number, null, 5), first);
        assert.deepEqual(await add(number, 'asked', 6), { ...first, reason: 'asked' });
        assert.deepEqual(await add(number, null, 7), { ...first, reason: 'asked' });
        await add('4915112345679', null, 8);
        await add('4915112345680', null, 9);
        const page = await suppressions.list(userId, { limit: 2, cursor: null });
        assert.deepEqual(
          page.items.map((each) => each.number),
          ['4915112345680', '4915112345679'],
        );
        const rest = await suppressions.list(userId, { limit: 2, cursor: page.nextCursor });
        assert.deepEqual([rest.items, rest.nextCursor], [[{ ...first, reason: 'asked' }], null]);
        assert.deepEqual((await suppressions.list(other.id, { limit: 9, cursor: null })).items, []);
        assert.deepEqual([suppressions.users.has(userId), suppressions.users.has(other.id)], [true, false]);
        const again = (await reopen()).suppressions;
        assert.deepEqual([again.users.has(userId), again.users.has(other.id)], [true, false]);
        assert.equal(await again.remove(other.id, jidOf(number)), false);
        assert.equal(await again.remove(userId, jidOf(number)), true);
        assert.equal(await again.remove(userId, jidOf(number)), false);
        assert.equal((await again.list(userId, { limit: 9, cursor: null })).items.length, 2);
      }),
    );

    it(
      'a person is found by each address that the device knows, and by each way in which a number is registered',
      withStore(open, async ({ stores: { suppressions, changes }, userId, device }) => {
        const { id } = await device();
        const { id: stranger } = await device();
        await changes.commit(id, { keys: pair });
        await suppressions.add(userId, { number, reason: null }, 1);
        await suppressions.add(userId, { number: '5511987654321', reason: null }, 1);
        const has = (jid: string, of = id) => suppressions.has(of, jid);
        assert.deepEqual([await has(jidOf(number)), await has(lid), await has(lid, stranger)], [true, true, false]);
        assert.deepEqual([await has('551187654321@s.whatsapp.net'), await has(jidOf('4915100000000'))], [true, false]);
        assert.equal(await has(jidOf(number), 999_999), false);
      }),
    );

    it(
      'a stop word lists its writer with the message, once, under both addresses',
      withStore(open, async ({ stores: { suppressions, changes, users }, userId, device }) => {
        const { id } = await device();
        const said = (messageId: string, text: string, rest: object = {}) =>
          withStopWords(
            { messages: [record(messageId, { direction: 'in', state: 'delivered', chatLid: lid, text, ...rest })] },
            ['Stopp', 'Basta ya', 'Árvíztűrő'],
          );
        const listed = async () => (await suppressions.list(userId, { limit: 9, cursor: null })).items;
        for (const [text, rest] of [
          ['stop', {}],
          ['stopp it', {}],
          ['stopp', { direction: 'out' }],
          ['stopp', { isGroup: true }],
          ['stopp', { historic: true }],
        ] as const)
          await changes.commit(id, said(`no ${text} ${JSON.stringify(rest)}`, text, rest));
        assert.deepEqual([await listed(), suppressions.users.size], [[], 0]);
        await changes.commit(id, said('yes', ' STÓPP\n'));
        const [entry] = await listed();
        assert.partialDeepStrictEqual(entry, { number, lid, reason: 'Wrote "Stopp"', source: 'stopWord' });
        assert.ok(suppressions.users.has(userId));
        assert.equal(await suppressions.has(id, lid), true);
        await changes.commit(id, said('again', 'stopp'));
        assert.equal((await listed()).length, 1);
        assert.equal(await suppressions.remove(userId, lid), true);
        await changes.commit(id, said('yes', ' STÓPP\n'));
        assert.deepEqual(await listed(), [], 'a message that is delivered again');
        await changes.commit(id, said('accents', 'arvizturo', { chat: lid, chatNumber: null }));
        assert.partialDeepStrictEqual(await listed(), [{ number: null, lid }]);
        assert.deepEqual((await users.list()).length, 1);
      }),
    );

    it(
      'a stop word is known by its letters alone, in every script, whatever case and signs a person writes it with',
      withStore(open, async ({ stores: { suppressions, changes }, userId, device }) => {
        const { id } = await device();
        const isListed = async (text: string, word: string): Promise<boolean> => {
          const message = record(text, { direction: 'in', state: 'delivered', text });
          await changes.commit(id, withStopWords({ messages: [message] }, ['another', word]));
          return suppressions.remove(userId, jidOf(number));
        };
        for (const [word, texts] of Object.entries({
          çıkış: ['ÇIKIŞ', 'Çıkış', 'cikis', 'çıkış.'],
          STOP: [
            'stop.',
            'Stop!!',
            '*STOP*',
            '_~stop~_ 🛑',
            '"stop"',
            'ＳＴＯＰ',
            '𝐒𝐓𝐎𝐏',
            'S.T.O.P.',
            '\u200Estop\uFEFF',
            '```stop```',
          ],
          'Basta ya': ['¡Basta ya!', 'BASTA  YA'],
          ΣΤΟΠ: ['στοπ', 'Στόπ.'],
          Διακοπές: ['ΔΙΑΚΟΠΕΣ'],
          СТОП: ['стоп👋'],
          توقف: ['توقّف', 'توقـــف.'],
          रोकें: ['रोकें।'],
          '🛑': ['🛑', ' 🛑\uFE0F '],
        }))
          for (const text of texts) assert.equal(await isListed(text, word), true, `${text} for ${word}`);
        for (const [word, text] of [
          ['stop', 'stop it'],
          ['stop', '🛑'],
          ['बंद', 'बूंद'],
          ['🛑', '👍'],
          ['🛑', ''],
          ['stop', `stop${' '.repeat(65_000)}`],
        ] as const)
          assert.equal(await isListed(text, word), false, `${text.slice(0, 20)} for ${word}`);
      }),
    );
  });
};
