/** The event log by pages, in both orders (docs/spec/events.md, Event log). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { happen, range } from './support.ts';
import { withHttp } from '../harness.ts';

test(
  'pages go from the start of the log to its end',
  withHttp(async (http) => {
    const id = await http.device();
    const start = (await http.api.get(`/devices/${id}/events`)).body;
    assert.equal(start.events[0].type, 'connection.auth');
    await happen(http, id, 0, 25);
    const after = start.events.at(-1).id;
    const seen: string[] = [];
    let cursor: string | null = after;
    while (cursor !== null) {
      const { body }: { body: { events: { id: string; data: { callId: string } }[]; nextCursor: string | null } } =
        await http.api.get(`/devices/${id}/events?limit=10&after=${cursor}`);
      seen.push(...body.events.map(({ data }) => data.callId));
      cursor = body.nextCursor;
    }
    assert.deepEqual(seen.map(Number), range(0, 25));
    const { body } = await http.api.get(`/devices/${id}/events?after=${after}&limit=1`);
    assert.deepEqual(Object.keys(body.events[0]).sort(), ['data', 'deviceId', 'id', 'timestamp', 'type']);
    assert.deepEqual(body.status, { code: 200, message: 'Events listed' });
  }),
);

test(
  'pages with the newest first go from the end of the log to its start',
  withHttp(async (http) => {
    const id = await http.device();
    await happen(http, id, 0, 25);
    const seen: { data: { callId?: string } }[] = [];
    let cursor = '';
    do {
      const { body } = await http.api.get(`/devices/${id}/events?order=newest&limit=10${cursor}`);
      seen.push(...body.events);
      cursor = body.nextCursor === null ? '' : `&before=${body.nextCursor}`;
    } while (cursor !== '');
    const calls = seen.flatMap(({ data }) => (data.callId === undefined ? [] : [Number(data.callId)]));
    assert.deepEqual(calls, range(0, 25).toReversed());
    const only = await http.api.get(`/devices/${id}/events?order=newest&types=connection.auth`);
    assert.deepEqual(only.body.events, seen.slice(25));
  }),
);
