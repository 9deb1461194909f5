/** MCP tools for groups that page through members, or take a link in place of a group. */
import { Type } from 'typebox';
import { briefOf } from './forms.ts';
import { nameOf, type Person } from './people.ts';
import { about, device, flag, limit, open, ownTool, page, pageOf, reads, request, text, textOrNull } from './tool.ts';

interface Group {
  readonly members: readonly { readonly person: Person; readonly admin: boolean }[];
}

export const groupTools = [
  ownTool({
    name: 'get_group',
    title: 'Show a group',
    description: 'Shows a group with its settings and its members',
    input: { device, group: text, ...page, limit: limit(50) },
    output: {
      group: open({ jid: text }),
      members: Type.Array(Type.Object({ person: text, admin: flag })),
      nextCursor: textOrNull,
    },
    hints: reads,
    run: async (client, { device: id, group: jid, ...given }) => {
      const call = 'GET /devices/{device}/groups/{group}';
      const { group } = await request<{ group: Group }>(client, call, { device: id, group: jid });
      const members = group.members.map(({ person, admin }) => ({ person: nameOf(person), admin }));
      const { items, nextCursor } = pageOf(members, (one) => one.person, given);
      return { ...briefOf({ group }), members: items, nextCursor };
    },
  }),
  ownTool({
    name: 'get_invite',
    title: 'Show an invitation',
    description:
      'The link by which people join a group of the account; or, with invite, the group that a link leads to',
    input: { device, group: Type.Optional(text), invite: Type.Optional(about('A link, or its code')) },
    output: { link: Type.Optional(text), group: Type.Optional(open({ jid: text })) },
    hints: reads,
    run: async (client, { invite, ...given }) => {
      if ((given.group === undefined) === (invite === undefined))
        throw new Error('Give exactly one of group and invite');
      if (invite === undefined) {
        const call = 'GET /devices/{device}/groups/{group}/invite';
        return (await request<{ invite: object }>(client, call, given)).invite;
      }
      const code = new URL(invite, 'https://chat.whatsapp.com/').pathname.split('/').at(-1);
      return request(client, 'GET /devices/{device}/invites/{code}', { device: given.device, code });
    },
  }),
];
