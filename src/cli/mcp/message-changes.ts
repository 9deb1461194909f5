/** MCP tools for locations, contacts, polls, and for what is done to an earlier message. */
import { z } from 'zod';
import { recipientOf } from '../recipient.ts';
import { idempotencyKey, keyHeader, to } from './message-tools.ts';
import { type Tools, changes, destroys, device, orError, result } from './tool.ts';

const place = z.object({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  name: z.string().min(1).max(1_024).optional(),
  address: z.string().min(1).max(1_024).optional(),
});

const poll = z.object({
  question: z.string().min(1).max(255),
  options: z.array(z.string().min(1).max(100)).min(2).max(12),
  maxAnswers: z.number().int().min(1).max(12).optional(),
});

const contact = z.object({
  contacts: z
    .array(
      z.object({
        name: z.string().min(1).max(100),
        numbers: z.array(z.string()).min(1).max(10).describe('Digits with country code'),
        organization: z.string().min(1).max(100).optional(),
      }),
    )
    .min(1)
    .max(20),
});

const quotedMessageId = z.string().min(1).optional().describe('Id of the message of this chat that it answers');

const common = { device, to, quotedMessageId, idempotencyKey };

interface Given {
  readonly device: number;
  readonly to: string;
  readonly idempotencyKey?: string | undefined;
}

const sendKind = (
  { client }: Tools,
  kind: string,
  { device: id, to: recipient, idempotencyKey: key, ...content }: Given,
) =>
  orError(async () => {
    const body = { ...recipientOf(recipient), ...content };
    return result(await client.call('POST', `/devices/${id}/messages/${kind}`, body, keyHeader(key)));
  });

const accepted = 'Success means that the network has accepted it';

export const registerKindTools = (tools: Tools): void => {
  tools.server.registerTool(
    'send_location',
    { description: `Sends a location. ${accepted}`, inputSchema: place.extend(common), annotations: changes },
    (given) => sendKind(tools, 'location', given),
  );
  tools.server.registerTool(
    'send_contact',
    { description: `Sends contacts. ${accepted}`, inputSchema: contact.extend(common), annotations: changes },
    (given) => sendKind(tools, 'contact', given),
  );
  tools.server.registerTool(
    'send_poll',
    {
      description: `Sends a poll; maxAnswers is how many options one person may choose, 1 if omitted. ${accepted}`,
      inputSchema: poll.extend(common),
      annotations: changes,
    },
    (given) => sendKind(tools, 'poll', given),
  );
};

const message = { device, messageId: z.string().min(1), idempotencyKey };
const pathOf = (given: { readonly device: number; readonly messageId: string }): string =>
  `/devices/${given.device}/messages/${encodeURIComponent(given.messageId)}`;

const registerMarkTools = ({ server, client }: Tools): void => {
  server.registerTool(
    'react',
    {
      description: 'Reacts to a message with one emoji; null takes it back',
      inputSchema: z.object({ ...message, reaction: z.string().max(64).nullable() }),
      annotations: changes,
    },
    (given) =>
      orError(async () => {
        const body = { reaction: given.reaction };
        return result(await client.call('PUT', `${pathOf(given)}/reaction`, body, keyHeader(given.idempotencyKey)));
      }),
  );
  server.registerTool(
    'star_message',
    {
      description: 'Stars a message on this account, or takes the star away',
      inputSchema: z.object({ device, messageId: message.messageId, starred: z.boolean() }),
      annotations: changes,
    },
    (given) =>
      orError(async () => result(await client.call('PUT', `${pathOf(given)}/star`, { starred: given.starred }))),
  );
};

export const registerChangeTools = (tools: Tools): void => {
  const { server, client } = tools;
  registerMarkTools(tools);
  server.registerTool(
    'edit_message',
    {
      description: 'Edits a text or caption of this account, up to 15 minutes after it was sent',
      inputSchema: z.object({ ...message, message: z.string().min(1).max(65_536) }),
      annotations: changes,
    },
    (given) =>
      orError(async () =>
        result(await client.call('PUT', pathOf(given), { message: given.message }, keyHeader(given.idempotencyKey))),
      ),
  );
  server.registerTool(
    'delete_message',
    {
      description:
        'Deletes a message for everyone: one of this account, or as administrator of the group; with forMe any message, on this account only',
      inputSchema: z.object({ ...message, forMe: z.boolean().optional() }),
      annotations: destroys,
    },
    (given) =>
      orError(async () => {
        const path = `${pathOf(given)}${given.forMe === true ? '?forMe=true' : ''}`;
        return result(await client.call('DELETE', path, undefined, keyHeader(given.idempotencyKey)));
      }),
  );
  server.registerTool(
    'forward_message',
    {
      description: 'Forwards a message to a person or a group',
      inputSchema: z.object({ ...message, to }),
      annotations: changes,
    },
    (given) =>
      orError(async () => {
        const path = `${pathOf(given)}/forward`;
        return result(await client.call('POST', path, recipientOf(given.to), keyHeader(given.idempotencyKey)));
      }),
  );
};
