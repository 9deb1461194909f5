/** `GET /events`: what happens on all devices of the caller, as one stream. */
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { invalidRequest } from '../../../errors.ts';
import { preferredType } from '../../wire/negotiate.ts';
import { operation } from '../../wire/operation.ts';
import { sendHead } from '../../streams/streamed-answer.ts';
import { userStream } from '../../streams/user-stream.ts';
import { members } from '../../wire/build.ts';
import { kindsOf, kindsParameter } from '../../schemas/event.ts';

const streamType = 'text/event-stream';

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
