/** MCP tools for groups: reading, making and changing them, their members, and how people come in. */
import { z } from 'zod';

import {
  acts,
  addTool,
  asks,
  cursor,
  destroys,
  device,
  limit,
  nextCursor,
  pageOf,
  queryOf,
  sets,
  status,
  type Tools,
  message,
} from './tool.ts';
import { idempotencyHeader } from '../client/client.ts';
import { nameOf, type Person } from '../command/people.ts';

const group = z.string().min(1).describe('JID of the group, as list_groups shows it');
const people = z.array(z.string().min(1)).max(100).describe('Phone numbers, or JIDs');

const pathOf = (given: { readonly device: number; readonly group: string }): string =>
  `/devices/${given.device}/groups/${encodeURIComponent(given.group)}`;

interface Group {
  readonly description: string | null;
  readonly members: readonly { readonly person: Person; readonly admin: boolean }[];
}

const groupRow = z.object({
  jid: z.string(),
  subject: z.string().nullable(),
  size: z.number().describe('How many members it has'),
  announceOnly: z.boolean().describe('Whether only administrators write'),
});

const groupDetail = groupRow.extend({
  description: z.string().nullable(),
  createdAt: z.string().nullable(),
  locked: z.boolean(),
  joinApproval: z.boolean(),
  memberAddMode: z.string(),
});

const shown = (found: Group) => ({ ...found, size: found.members.length });

const results = z.array(z.object({ person: z.string(), result: z.string(), reason: z.string().nullable() }));

interface Results {
  readonly results: readonly { readonly person: Person; readonly result: string; readonly reason: string | null }[];
}

const resultsOf = (answer: Results) => ({
  results: answer.results.map((one) => ({ ...one, person: nameOf(one.person) })),
});

const registerReading = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'list_groups',
    title: 'List groups',
    description: 'Lists the groups of an account, a page at a time',
    input: z.object({ device, limit, cursor }),
    output: z.object({ groups: z.array(groupRow), nextCursor }),
    hints: asks,
    run: async ({ device: id, ...page }) => {
      type Page = { groups: readonly Group[]; nextCursor: string | null };
      const found = await client.call<Page>('GET', `/devices/${id}/groups${queryOf(page)}`);
      return { groups: found.groups.map(shown), nextCursor: found.nextCursor };
    },
  });
  addTool(tools, {
    name: 'get_group',
    title: 'Show a group',
    description: 'Shows a group with its settings, and its members a page at a time',
    input: z.object({ device, group, limit: limit.default(50), cursor }),
    output: z.object({
      group: groupDetail,
      members: z.array(z.object({ person: z.string(), admin: z.boolean() })),
      nextCursor,
    }),
    hints: asks,
    run: async (given) => {
      const { group: found } = await client.call<{ group: Group }>('GET', pathOf(given));
      const members = found.members.map(({ person, admin }) => ({ person: nameOf(person), admin }));
      const { page, nextCursor: next } = pageOf(members, ({ person }) => person, given.limit, given.cursor);
      return { group: shown(found), members: page, nextCursor: next };
    },
  });
};

const registerInvite = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'get_invite',
    title: 'Show an invitation',
    description:
      'The link by which people join a group of the account; or, with invite, the group that a link leads to',
    input: z.object({
      device,
      group: group.optional(),
      invite: z.string().optional().describe('A link, or its code'),
    }),
    output: z.object({
      link: z.string().optional(),
      group: z.looseObject({ jid: z.string(), subject: z.string().nullable(), size: z.number().nullable() }).optional(),
    }),
    hints: asks,
    run: async ({ device: id, group: own, invite }) => {
      if ((own === undefined) === (invite === undefined)) throw new Error('Give exactly one of group and invite');
      if (own !== undefined) {
        const answer = await client.call<{ invite: { link: string } }>(
          'GET',
          `${pathOf({ device: id, group: own })}/invite`,
        );
        return { link: answer.invite.link };
      }
      const code = new URL(invite ?? '', 'https://chat.whatsapp.com/').pathname.split('/').at(-1) ?? '';
      return client.call('GET', `/devices/${id}/invites/${encodeURIComponent(code)}`);
    },
  });
};

const registerMaking = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'create_group',
    title: 'Create a group',
    description: 'Makes a group. Each person has a result: added, invited or refused',
    input: z.object({
      device,
      subject: z.string().min(1).max(100),
      members: people,
      idempotencyKey: message.idempotencyKey,
    }),
    output: z.object({ group: groupDetail, results }),
    hints: acts,
    run: async ({ device: id, idempotencyKey: key, ...body }) => {
      const path = `/devices/${id}/groups`;
      const made = await client.call<Results & { group: Group }>('POST', path, body, idempotencyHeader(key));
      return { group: shown(made.group), ...resultsOf(made) };
    },
  });
  addTool(tools, {
    name: 'update_group',
    title: 'Change a group',
    description:
      'Changes the subject, the description, the picture or the settings of a group, as one of its administrators',
    input: z.object({
      device,
      group,
      subject: z.string().min(1).max(100).optional(),
      description: z.string().min(1).max(2_048).nullable().optional(),
      announceOnly: z.boolean().optional(),
      locked: z.boolean().optional(),
      joinApproval: z.boolean().optional(),
      memberAddMode: z.enum(['admins', 'everyone']).optional(),
      pictureUrl: z.url().nullable().optional().describe('An image to use as the picture; null removes it'),
    }),
    output: z.object({ group: groupDetail }),
    hints: sets,
    run: async ({ device: id, group: jid, pictureUrl, ...body }) => {
      const path = pathOf({ device: id, group: jid });
      if (pictureUrl === null) await client.call('DELETE', `${path}/picture`);
      else if (pictureUrl !== undefined) await client.call('PUT', `${path}/picture`, { mediaUrl: pictureUrl });
      const isSet = Object.values(body).some((value) => value !== undefined);
      const method = isSet ? 'PUT' : 'GET';
      const { group: changed } = await client.call<{ group: Group }>(method, path, isSet ? body : undefined);
      return { group: shown(changed) };
    },
  });
};

const registerMembers = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'add_members',
    title: 'Add members to a group',
    description: 'Adds members to a group. Who does not let everybody add them is sent an invitation',
    input: z.object({ device, group, members: people.min(1) }),
    output: z.object({ results }),
    hints: sets,
    run: async ({ members, ...given }) => resultsOf(await client.call('POST', `${pathOf(given)}/members`, { members })),
  });
  addTool(tools, {
    name: 'change_member',
    title: 'Remove or promote a member',
    description: 'Removes a member of a group, or makes them an administrator or an ordinary member',
    input: z.object({ device, group, person: z.string().min(1), to: z.enum(['admin', 'member', 'removed']) }),
    output: z.object({ results }),
    hints: destroys,
    run: async ({ person, to, ...given }) => {
      const path = `${pathOf(given)}/members/${encodeURIComponent(person)}`;
      if (to === 'removed') return resultsOf(await client.call('DELETE', path));
      return resultsOf(await client.call('PUT', path, { admin: to === 'admin' }));
    },
  });
};

const registerRequests = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'list_join_requests',
    title: 'List who asks to join',
    description: 'People who ask to join a group where administrators approve members',
    input: z.object({ device, group, limit, cursor }),
    output: z.object({ requests: z.array(z.object({ person: z.string(), requestedAt: z.string() })), nextCursor }),
    hints: asks,
    run: async (given) => {
      type Answer = { requests: readonly { person: Person; requestedAt: string }[] };
      const answer = await client.call<Answer>('GET', `${pathOf(given)}/requests`);
      const requests = answer.requests.map((one) => ({ ...one, person: nameOf(one.person) }));
      const { page, nextCursor: next } = pageOf(requests, ({ person }) => person, given.limit, given.cursor);
      return { requests: page, nextCursor: next };
    },
  });
  addTool(tools, {
    name: 'decide_join_request',
    title: 'Let somebody in, or not',
    description: 'Approves or declines a request to join a group',
    input: z.object({ device, group, person: z.string().min(1), approved: z.boolean() }),
    output: z.object({ status }),
    hints: acts,
    run: ({ person, approved, ...given }) =>
      client.call('PUT', `${pathOf(given)}/requests/${encodeURIComponent(person)}`, { approved }),
  });
};

const registerOwn = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'join_group',
    title: 'Join a group',
    description: 'Joins a group by its link; waits is true where an administrator has to approve it',
    input: z.object({ device, invite: z.string().min(1).describe('The link, or its code') }),
    output: z.object({ group: z.string(), waits: z.boolean() }),
    hints: sets,
    run: ({ device: id, invite }) => client.call('POST', `/devices/${id}/groups/join`, { invite }),
  });
  addTool(tools, {
    name: 'leave_group',
    title: 'Leave a group',
    description: 'Leaves a group; others have to let the account in again',
    input: z.object({ device, group }),
    output: z.object({ status }),
    hints: destroys,
    run: (given) => client.call('DELETE', pathOf(given)),
  });
};

export const registerGroupTools = (tools: Tools): void => {
  registerReading(tools);
  registerInvite(tools);
  registerMaking(tools);
  registerMembers(tools);
  registerRequests(tools);
  registerOwn(tools);
};
