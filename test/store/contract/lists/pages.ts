/** The contract of lists: a page ends at its limit or at its bytes, and the next one goes on from there. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KeptGroup } from '../../../../src/domain/groups/group.ts';
import { maxPageBytes, type Page, type PageRequest } from '../../../../src/domain/stores.ts';
import { type OpenStore, messageData, received, record, withStore } from '../fixture.ts';

const wide = '\u{1F9F1}'.repeat(32_768);
const number = (n: number): string => `49151${1_000_000 + n}`;
const jid = (n: number): string => `${number(n)}@s.whatsapp.net`;

const group = (n: number): KeptGroup => ({
  jid: `1203630000000000${10 + n}@g.us`,
  subject: `Group ${n}`,
  description: wide,
  owner: null,
  createdAt: null,
  members: [],
  announceOnly: false,
  locked: false,
  joinApproval: false,
  memberAddMode: 'everyone',
  expiresInSeconds: null,
  community: null,
  isCommunity: false,
  isMember: true,
  addressing: 'lid',
  hasPicture: null,
  version: null,
  checkedAt: 0,
});

/** All pages, each of which must be no longer than it may. */
const pagesOf = async <T>(list: (page: PageRequest) => Promise<Page<T>>, limit: number): Promise<readonly T[][]> => {
  const pages: T[][] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await list({ limit, cursor });
    assert.ok(page.items.length > 0 || page.nextCursor === null, 'a page that goes on has one item at least');
    const size = Buffer.byteLength(JSON.stringify(page.items));
    assert.ok(size < maxPageBytes * 1.1, `${size} bytes`);
    if (page.items.length > 0) pages.push([...page.items]);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return pages;
};

const count = 40;

export const pagesContract = (open: OpenStore): void => {
  describe('pages', () => {
    it(
      'end at 4 MB where their items are large, and lose none',
      withStore(open, async ({ stores, device }) => {
        const { id } = await device();
        const numbers = Array.from({ length: count }, (_, n) => n);
        await stores.changes.commit(id, {
          messages: numbers.map((n) => record(`M${n}`, { chat: jid(n), text: wide, timestamp: 1_000 + n })),
          facts: numbers.map((n) => {
            const message = messageData(`M${n}`, jid(n), wide);
            return received(`M${n}`, jid(n), { event: { type: 'message.received', data: { message } } });
          }),
          contacts: numbers.map((n) => ({ jid: jid(n), lid: null, about: wide })),
          groups: numbers.map(group),
        });
        const { messages, events, contacts, chats, groups } = stores;
        const pages = {
          messages: await pagesOf((page) => messages.list(id, page), 1_000),
          found: await pagesOf((page) => messages.list(id, { ...page, type: 'text' }), 1_000),
          events: await pagesOf((page) => events.listAfter(id, page, ['message.received']), 1_000),
          newest: await pagesOf((page) => events.listBefore(id, page, ['message.received']), 1_000),
          contacts: await pagesOf((page) => contacts.list(id, page), 1_000),
          chats: await pagesOf((page) => chats.list(id, page), 1_000),
          groups: await pagesOf((page) => groups.list(id, page), 1_000),
        };
        for (const [name, of] of Object.entries(pages)) {
          const all = of.flat().map((item) => JSON.stringify(item));
          assert.equal(new Set(all).size, count, name);
          assert.equal(all.length, count, `${name}: none twice`);
          assert.ok(of.length > 1 && of.length < 10, `${name}: ${of.length} pages`);
        }
        const ids = pages.messages.flat().map((message) => message.id);
        assert.deepEqual(ids, numbers.map((n) => `M${n}`).toReversed());
        const page = await messages.list(id, { limit: 10, cursor: null, bytes: 1 });
        assert.equal(page.items.length, 1, 'one is more than it may have');
      }),
    );
  });
};
