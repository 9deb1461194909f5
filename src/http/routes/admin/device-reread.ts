/** `POST /devices/{deviceId}/reread`: reads stored messages of unknown kind again, after an upgrade (docs/spec/messages.md, Message log). */
import { Type } from 'typebox';
import { deviceOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members, ok } from '../../wire/build.ts';
import { nextCursor, pageParameters } from '../../schemas/page.ts';

export const rereadAnyDevice = operation({
  id: 'rereadAnyDevice',
  method: 'POST',
  path: '/devices/{deviceId}/reread',
  tag: 'Operator',
  summary: 'Read stored messages of unknown kind again',
  description:
    'For messages that a version before stored as `unknown`. One page of the log at a time, newest first; `message.updated` reports what was read.',
  query: members({ cursor: pageParameters.cursor }),
  answer: answer({
    unknown: Type.Integer({ description: 'Messages of unknown kind in this page' }),
    translated: Type.Integer({ description: 'Messages among them that have their content now' }),
    nextCursor,
  }),
  atOwner: true,
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, params, query }) {
    const { id } = await deviceOf(parts, params.deviceId);
    const page = await parts.devices.reread(id, query.cursor ?? null);
    return { ...page, status: ok(`${page.translated} messages read anew`) };
  },
});
