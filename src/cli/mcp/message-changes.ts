/** MCP tools for what is done to an earlier message: react, edit, star, pin, delete. */
import { z } from 'zod';
import { message, messageId, pathOf } from './message-path.ts';
import { detailOf, type Json, messageDetail } from './rows.ts';
import { addTool, destroys, device, sets, status, type Tools } from './tool.ts';
import { idempotencyHeader } from '../client/client.ts';

const changed = z.object({ message: messageDetail });

interface Given {
  readonly device: number;
  readonly messageId: string;
  readonly idempotencyKey?: string | undefined;
}

const put = async ({ client }: Tools, given: Given, below: string, body: object): Promise<object> => {
  const key = idempotencyHeader(given.idempotencyKey);
  const answer = await client.call<{ message: Json }>('PUT', pathOf(given) + below, body, key);
  return { message: detailOf(answer.message) };
};

const registerMarks = (tools: Tools): void => {
  addTool(tools, {
    name: 'react',
    title: 'React to a message',
    description: 'Reacts to a message with one emoji; null takes it back',
    input: z.object({ ...message, reaction: z.string().max(64).nullable() }),
    output: changed,
    hints: sets,
    run: (given) => put(tools, given, '/reaction', { reaction: given.reaction }),
  });
  addTool(tools, {
    name: 'star_message',
    title: 'Star a message',
    description: 'Stars a message on this account, or takes the star away',
    input: z.object({ device, messageId, starred: z.boolean() }),
    output: changed,
    hints: sets,
    run: (given) => put(tools, given, '/star', { starred: given.starred }),
  });
  addTool(tools, {
    name: 'pin_message',
    title: 'Pin a message',
    description: 'Pins a message in its chat for everyone, for a day, a week or 30 days, or takes the pin away',
    input: z.object({
      ...message,
      pinned: z.boolean(),
      seconds: z.union([z.literal(86_400), z.literal(604_800), z.literal(2_592_000)]).optional(),
    }),
    output: changed,
    hints: sets,
    run: (given) => put(tools, given, '/pin', { pinned: given.pinned, seconds: given.seconds }),
  });
};

export const registerChangeTools = (tools: Tools): void => {
  registerMarks(tools);
  addTool(tools, {
    name: 'edit_message',
    title: 'Edit a message',
    description: 'Edits a text or caption of this account, up to 15 minutes after it was sent',
    input: z.object({ ...message, message: z.string().min(1).max(65_536) }),
    output: changed,
    hints: sets,
    run: (given) => put(tools, given, '', { message: given.message }),
  });
  addTool(tools, {
    name: 'delete_message',
    title: 'Delete a message',
    description:
      'Deletes a message for everyone: one of this account, or as administrator of the group; with forMe any message, on this account only',
    input: z.object({ ...message, forMe: z.boolean().optional() }),
    output: z.object({ status }),
    hints: destroys,
    run: (given) => {
      const path = `${pathOf(given)}${given.forMe === true ? '?forMe=true' : ''}`;
      return tools.client.call('DELETE', path, undefined, idempotencyHeader(given.idempotencyKey));
    },
  });
};
