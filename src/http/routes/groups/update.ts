/** `PUT /devices/{id}/groups/{group}` (docs/spec/groups.md, Settings). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { GroupSchema, groupView, UpdateGroupSchema } from '../../schemas/group.ts';

export const updateGroup = operation({
  id: 'updateGroup',
  method: 'PUT',
  path: '/devices/{id}/groups/{group}',
  tag: 'Groups',
  summary: 'Change what a group is called, says and permits',
  description:
    'Omitted members stay as they are. The network takes the changes one by one; those before a refusal hold.',
  body: {
    schema: UpdateGroupSchema,
    examples: { subject: { subject: 'Coffee' }, announcements: { announceOnly: true, description: null } },
  },
  answer: answer({ group: GroupSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, caller, deviceId, params, body }) {
    const group = await parts.groups.change(caller.user.id, deviceId, params.group, body);
    return { group: groupView(group), status: ok('Group updated') };
  },
});
