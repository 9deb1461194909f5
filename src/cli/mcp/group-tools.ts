/** MCP tools for groups: reading, making and changing them. */
import { z } from 'zod';
import { changes, device, orError, reads, result, type Tools } from './tool.ts';

const group = z.string().min(1).describe('JID of the group, as list_groups shows it');
const people = z.array(z.string().min(1)).max(100).describe('Numbers in digits, or JIDs');

const pathOf = (given: { readonly device: number; readonly group: string }): string =>
  `/devices/${given.device}/groups/${encodeURIComponent(given.group)}`;

const registerReading = ({ server, client }: Tools): void => {
  server.registerTool(
    'list_groups',
    { description: 'Lists the groups of an account', inputSchema: z.object({ device }), annotations: reads },
    (given) => orError(async () => result(await client.call('GET', `/devices/${given.device}/groups`))),
  );
  server.registerTool(
    'get_group',
    {
      description: 'Shows a group with its settings and members',
      inputSchema: z.object({ device, group }),
      annotations: reads,
    },
    (given) => orError(async () => result(await client.call('GET', pathOf(given)))),
  );
};

const registerChanging = ({ server, client }: Tools): void => {
  server.registerTool(
    'create_group',
    {
      description: 'Makes a group. Each person has a result: added, invited or refused',
      inputSchema: z.object({ device, subject: z.string().min(1).max(100), members: people }),
      annotations: changes,
    },
    (given) => {
      const { subject, members } = given;
      return orError(async () =>
        result(await client.call('POST', `/devices/${given.device}/groups`, { subject, members })),
      );
    },
  );
  server.registerTool(
    'update_group',
    {
      description: 'Changes the subject, the description or the settings of a group, as one of its administrators',
      inputSchema: z.object({
        device,
        group,
        subject: z.string().min(1).max(100).optional(),
        description: z.string().min(1).max(2_048).nullable().optional(),
        announceOnly: z.boolean().optional(),
        locked: z.boolean().optional(),
        joinApproval: z.boolean().optional(),
        memberAddMode: z.enum(['admins', 'everyone']).optional(),
      }),
      annotations: changes,
    },
    ({ device: id, group: jid, ...wish }) =>
      orError(async () => result(await client.call('PUT', pathOf({ device: id, group: jid }), wish))),
  );
  server.registerTool(
    'add_members',
    {
      description: 'Adds members to a group. Who does not let everybody add them is sent an invitation',
      inputSchema: z.object({ device, group, members: people.min(1) }),
      annotations: changes,
    },
    ({ members, ...given }) =>
      orError(async () => result(await client.call('POST', `${pathOf(given)}/members`, { members }))),
  );
};

export const registerGroupTools = (tools: Tools): void => {
  registerReading(tools);
  registerChanging(tools);
};
