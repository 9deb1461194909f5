/** Events, by pages and as a stream (docs/spec/events.md, Event log). */
import { members, answer, nullableText } from '../build.ts';
import { Type } from 'typebox';
import { limitParameter } from '../schemas/page.ts';
import { kindsParameter, EventSchema } from '../schemas/event.ts';
import { declare, reads } from '../operation.ts';

export const streamType = 'text/event-stream';

export const listEvents = declare({
  id: 'listEvents',
  path: '/devices/{id}/events',
  command: 'events <device>',
  client: 'log.list',
  tool: {
    name: 'list_events',
    description:
      'The event log of a device (kept for some days): oldest first, after an event or from the start; or newest first, before an event or from the end. types: kinds, separated by commas',
  },
  ...reads('0.1.0'),
  tag: 'Events',
  summary: 'List or stream the event log',
  description:
    'Oldest first, after the event `after`; with `order=newest` newest first, before the event `before`. With `Accept: text/event-stream` the answer is a stream of server-sent events: first those after `Last-Event-ID` (or `after`), then new ones, without a gap; without either, only new ones. A reader that does not keep up is disconnected and resumes with `Last-Event-ID`. Without `types`, a page has the ten kinds that webhooks get, and a stream has all kinds.',
  query: members({
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Id of the last event already seen; the start of the log by default',
        errorMessage: 'must be the id of an event (evt_…)',
      }),
    ),
    order: Type.Optional(
      Type.Unsafe<'oldest' | 'newest'>({
        type: 'string',
        enum: ['oldest', 'newest'],
        description: '`oldest` first (the default), or `newest` first; a stream has no order',
        errorMessage: 'must be oldest or newest',
      }),
    ),
    before: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'With `order=newest`: id of the oldest event already seen; the end of the log by default',
        errorMessage: 'must be the id of an event (evt_…)',
      }),
    ),
    limit: Type.Optional(limitParameter),
    types: Type.Optional(kindsParameter),
  }),
  headers: {
    'Last-Event-ID': { description: 'Resumes a stream after this event', schema: Type.String() },
  },
  answer: answer({
    events: Type.Array(EventSchema),
    nextCursor: nullableText({ description: '`after` (or `before`) for the next page; null when there is none yet' }),
  }),
  otherContent: [{ type: streamType, description: '`id`, `event` (the type) and `data` (the envelope) of each event' }],
});

export const getEvent = declare({
  id: 'getEvent',
  path: '/devices/{id}/events/{eventId}',
  command: null,
  client: 'log.get',
  ...reads('0.1.0'),
  tag: 'Events',
  summary: 'Retrieve an event',
  description: 'The same envelope as in its deliveries.',
  answer: answer({ event: EventSchema }),
});

export const streamEvents = declare({
  id: 'streamEvents',
  path: '/events',
  command: null,
  client: null,
  ...reads('0.1.0'),
  tag: 'Events',
  summary: 'Stream the events of all devices',
  description:
    'Needs `Accept: text/event-stream`. New events of all devices of the caller. For live views of many devices; to miss nothing, read the log of each device (`/devices/{id}/events`), which resumes without a gap.',
  query: members({ types: Type.Optional(kindsParameter) }),
  otherContent: [{ type: streamType, description: '`id`, `event` (the type) and `data` (the envelope) of each event' }],
  errors: ['streamsOnly'],
});
