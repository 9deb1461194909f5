/** Events, by pages and as a stream (docs/spec/events.md, Event log). */
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { eventKinds } from '../../domain/event.ts';
import { envelopeOf } from '../../domain/event-view.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import { eventStream } from '../streams/event-stream.ts';
import { sendHead, answerLarge, answerPages } from '../streams/answers.ts';
import { preferredType } from '../wire/headers.ts';
import { operation } from '../wire/operation.ts';
import { answer, members, nullableText, ok } from '../wire/build.ts';
import { EventSchema, kindsOf, kindsParameter } from '../schemas/event.ts';
import { limitParameter } from '../schemas/page.ts';
import { userStream } from '../streams/user-stream.ts';

const streamType = 'text/event-stream';

interface Window {
  readonly order?: 'oldest' | 'newest' | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** Throws InvalidRequest for a cursor of the other order. */
const isNewestFirst = ({ order, after, before }: Window): boolean => {
  if (order === 'newest' && after !== undefined) throw invalidRequest('after is for order=oldest; give before');
  if (order !== 'newest' && before !== undefined) throw invalidRequest('before is for order=newest; give after');
  return order === 'newest';
};

export const listEvents = operation({
  id: 'listEvents',
  method: 'GET',
  path: '/devices/{id}/events',
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
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, caller, deviceId, query, request, reply, closing } = call;
    const { events } = parts.stores;
    const after = query.after ?? null;
    const kinds = kindsOf(query.types);
    const newestFirst = isNewestFirst(query);
    reply.header('vary', 'accept');
    if (preferredType(request.headers.accept, ['application/json', streamType]) === streamType) {
      const resumed = request.headers['last-event-id'];
      const isResumed = typeof resumed === 'string' && resumed !== '';
      const last = isResumed ? resumed : after;
      // A bad id is reported before the stream begins.
      if (last !== null) await events.assertPosition(deviceId, last, isResumed ? 'Last-Event-ID' : 'after');
      await request.ticket?.admitStream();
      reply.type(streamType).header('x-accel-buffering', 'no');
      if (request.method === 'HEAD') return sendHead(reply);
      return reply.send(
        Readable.from(eventStream({ parts, caller, deviceId, after: last, kinds, connection: reply.raw, closing })),
      );
    }
    if (after !== null) await events.assertPosition(deviceId, after);
    return answerPages(call, { name: 'events', done: 'Events listed' }, async (piece) => {
      const page = newestFirst
        ? await events.listBefore(
            deviceId,
            { ...piece, cursor: piece.cursor ?? query.before ?? null },
            kinds ?? eventKinds,
          )
        : await events.listAfter(deviceId, { ...piece, cursor: piece.cursor ?? after }, kinds ?? eventKinds);
      return {
        ...page,
        items: page.items.map((stored) => ({ ...envelopeOf(stored, parts.mediaUrl), type: stored.event.type })),
      };
    });
  },
});

export const getEvent = operation({
  id: 'getEvent',
  method: 'GET',
  path: '/devices/{id}/events/{eventId}',
  tag: 'Events',
  summary: 'Retrieve an event',
  description: 'The same envelope as in its deliveries.',
  answer: answer({ event: EventSchema }),
  errors: [401, 404, 408, 429, 500],
  async run(call) {
    const { parts, deviceId, params } = call;
    const stored = await answerLarge(call, () => parts.stores.events.find(deviceId, params.eventId));
    if (stored === null) throw notFound('Event');
    return { event: { ...envelopeOf(stored, parts.mediaUrl), type: stored.event.type }, status: ok('Event retrieved') };
  },
});

export const streamEvents = operation({
  id: 'streamEvents',
  method: 'GET',
  path: '/events',
  tag: 'Events',
  summary: 'Stream the events of all devices',
  description:
    'Needs `Accept: text/event-stream`. New events of all devices of the caller. For live views of many devices; to miss nothing, read the log of each device (`/devices/{id}/events`), which resumes without a gap.',
  query: members({ types: Type.Optional(kindsParameter) }),
  otherContent: [{ type: streamType, description: '`id`, `event` (the type) and `data` (the envelope) of each event' }],
  errors: [400, 401, 408, 429, 500],
  async run({ parts, caller, query, request, reply, closing }) {
    const kinds = kindsOf(query.types);
    reply.header('vary', 'accept');
    if (preferredType(request.headers.accept, ['application/json', streamType]) !== streamType) {
      throw invalidRequest(`Accept must be ${streamType}; the events of one device come by pages as well`);
    }
    await request.ticket?.admitStream();
    reply.type(streamType).header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') return sendHead(reply);
    return reply.send(Readable.from(userStream({ parts, caller, kinds, connection: reply.raw, closing })));
  },
});
