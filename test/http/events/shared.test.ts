/** Streams of one device share a reader of its log, and streams of one key the check of its rights. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withHttp } from '../harness.ts';
import { readEvents } from './sse.ts';
import { happen, range } from './support.ts';

const streams = 100;

test(
  'many streams of a device read an event once, and ask once whether their key may have it',
  withHttp(
    async (http) => {
      const id = await http.device();
      const stack = new AsyncDisposableStack();
      await using _ = stack;
      const readers = await Promise.all(
        range(0, streams).map(async (n) => {
          const path = n % 2 === 0 ? `/devices/${id}/events` : '/events';
          return stack.use(await readEvents(http.api, path));
        }),
      );
      const asked = { reads: 0, rights: 0 };
      const { listAfter } = http.stores.events;
      const { isValid } = http.service.users;
      Object.assign(http.stores.events, {
        listAfter: (...given: Parameters<typeof listAfter>) => {
          asked.reads += 1;
          return listAfter(...given);
        },
      });
      Object.assign(http.service.users, {
        isValid: (secret: string) => {
          asked.rights += 1;
          return isValid(secret);
        },
      });
      const events = 10;
      for (let number = 0; number < events; number += 1) {
        await happen(http, id, number, 1);
        const ids = await Promise.all(readers.map(async (reader) => (await reader.next())?.id));
        assert.equal(new Set(ids).size, 1, 'all get it');
      }
      // A stream that comes late finds the page gone, and reads it once more.
      assert.ok(asked.reads <= events * 5, `${asked.reads} reads of ${events} events for ${streams} streams`);
      assert.ok(asked.rights <= events * 10, `${asked.rights} checks of ${events} events for ${streams} streams`);
    },
    { userConcurrency: 256 },
  ),
);
