/** Filters of the message log (docs/spec/messages.md, Search), and the switch of all searches. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withHttp } from './harness.ts';

const number = '4915112345678';

test(
  'messages are filtered by what the query says, and a wrong filter is named',
  withHttp(async ({ api, linked }) => {
    const id = await linked();
    for (const [query, rule] of [
      ['q=%20', 'q must be 1 to 200 characters, at least one of them visible'],
      ['type=fax', 'type must be one of text, image'],
      ['from=bob', 'from must be the digits of a phone number, or the JID of a person'],
      ['from=%2B49%20151%2012345678', 'from must be 8 to 15 digits with the country code, without +, spaces or signs'],
      ['chat=typo', 'chat must be the digits of a phone number, or a JID'],
      ['chat=4915112345678@c.us', 'chat must be the digits of a phone number, or a JID'],
      ['since=today', 'since must be an RFC 3339 timestamp'],
      ['since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 'since must not be after until'],
    ] as const) {
      const { status, body } = await api.get(`/devices/${id}/messages?${query}`);
      assert.equal(status, 400, query);
      assert.ok(body.status.message.startsWith(rule), body.status.message);
    }
    await api.post(`/devices/${id}/messages/text`, { toNumber: number, message: 'The Invoice' });
    const { messages } = (await api.get(`/devices/${id}/messages?q=invoice&type=text&since=2020-01-01T00:00:00Z`)).body;
    assert.deepEqual(
      messages.map(({ text }: { text: string }) => text),
      ['The Invoice'],
    );
  }),
);

test(
  'a search by words is refused where the operator has turned it off',
  withHttp(
    async ({ api, linked }) => {
      const id = await linked();
      for (const list of ['messages', 'chats', 'contacts']) {
        const { status, body } = await api.get(`/devices/${id}/${list}?q=invoice`);
        assert.equal(status, 400, list);
        assert.match(body.status.message, /^q: .*HANDSET_SEARCH=off/);
        assert.equal((await api.get(`/devices/${id}/${list}?limit=5`)).status, 200);
      }
    },
    { search: false },
  ),
);
