/** Events, by pages and as a stream (docs/spec/events.md, Event log). */
import * as declared from '../../contract/operations/events.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import { preferredType } from '../wire/headers.ts';
import { streamType } from '../../contract/operations/events.ts';
import { sendHead, answerPages, answerLarge } from '../streams/answers.ts';
import { Readable } from 'node:stream';
import { eventStream } from '../streams/event-stream.ts';
import { allKinds, type AnyKind, eventKinds } from '../../domain/event.ts';
import { envelopeOf } from '../../domain/event-view.ts';
import { handle } from '../wire/operation.ts';
import { ok } from '../wire/values.ts';
import { userStream } from '../streams/user-stream.ts';

const kindsOf = (types: string | undefined): readonly AnyKind[] | undefined =>
  types?.split(',').map((name) => {
    const kind = allKinds.find((each) => each === name);
    if (kind === undefined)
      throw invalidRequest(`types must be kinds of events, separated by commas: ${allKinds.join(', ')}`);
    return kind;
  });

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

export const listEvents = handle(declared.listEvents, async (call) => {
  const { services, caller, deviceId, query, request, reply, closing } = call;
  const { events } = services.stores;
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
      Readable.from(eventStream({ services, caller, deviceId, after: last, kinds, connection: reply.raw, closing })),
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
      items: page.items.map((stored) => ({ ...envelopeOf(stored, services.mediaUrl), type: stored.event.type })),
    };
  });
});

export const getEvent = handle(declared.getEvent, async (call) => {
  const { services, deviceId, params } = call;
  const stored = await answerLarge(call, () => services.stores.events.find(deviceId, params.eventId));
  if (stored === null) throw notFound('Event');
  return {
    event: { ...envelopeOf(stored, services.mediaUrl), type: stored.event.type },
    status: ok('Event retrieved'),
  };
});

export const streamEvents = handle(
  declared.streamEvents,
  async ({ services, caller, query, request, reply, closing }) => {
    const kinds = kindsOf(query.types);
    reply.header('vary', 'accept');
    if (preferredType(request.headers.accept, ['application/json', streamType]) !== streamType) {
      throw invalidRequest(`Accept must be ${streamType}; the events of one device come by pages as well`);
    }
    await request.ticket?.admitStream();
    reply.type(streamType).header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') return sendHead(reply);
    return reply.send(Readable.from(userStream({ services, caller, kinds, connection: reply.raw, closing })));
  },
);
