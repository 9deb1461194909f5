/** Filters of the message log (docs/spec/messages.md, Search), the switch of all searches, and what of a request cannot be decoded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, api as apiOf } from '../support/api.ts';
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

test(
  'a path or a query that cannot be decoded is a 400, once the caller is known',
  withHttp(async (http) => {
    const is = (answer: Answer, code: number, message: string): void =>
      assert.deepEqual([answer.status, answer.body], [code, { status: { code, message } }]);
    const id = await http.device();
    const advice = 'a percent sign is written as %25';
    const path = (part: string) => `The path has a malformed percent-encoding, "${part}": ${advice}`;
    const query = (part: string) => `The query has a malformed percent-encoding, "${part}": ${advice}`;
    const open = apiOf(http.url, null);
    is(await http.api.get(`/devices/${id}/chats/%ZZ`), 400, path('%ZZ'));
    is(await http.api.get('/devices/%C3%A4%zz'), 400, path('%zz'));
    is(await http.api.get('/devices/999999/chats/100%'), 400, path('%'));
    is(await http.api.put(`/devices/${id}/chats/a%c0%aeb`, {}), 400, path('%c0%ae'));
    is(await open.get('/%zz?a=%41'), 400, path('%zz'));
    is(await open.get('/admin/v1/users/%4'), 400, path('%4'));
    assert.equal((await apiOf(http.api.baseUrl, null).get(`/devices/${id}/chats/%ZZ`)).status, 401);
    is(await http.api.get(`/devices/${id}/messages?q=100%`), 400, query('%'));
    is(await http.api.get(`/devices/${id}/chats?limit=1&q=%ff`), 400, query('%ff'));
    is(await http.api.get('/me?%zz'), 400, query('%zz'));
    is(await http.api.post(`/devices/${id}/restart?x=%zz`), 400, query('%zz'));
    is(await http.api.get('/devices/999999/messages?q=%zz'), 404, 'Device not found');
    assert.equal((await http.api.get(`/devices/${id}/messages?q=100%25+%C3%A4`)).status, 200);
  }),
);
