/** MCP tools for messages: the log, one message with its receipts, and changes to messages. */
import { z } from 'zod';
import {
  message,
  messageId,
  pathOf,
  addTool,
  destroys,
  device,
  sets,
  status,
  type Tools,
  cursor,
  limit,
  nextCursor,
  queryOf,
  reads,
} from './tool.ts';
import { detailOf, type Json, messageDetail, type Message, messageRow, rowOf } from './rows.ts';
import { idempotencyHeader } from '../client/client.ts';
import { nameOf, type Person } from '../command/people.ts';

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

const registerList = (tools: Tools): void =>
  addTool(tools, {
    name: 'list_messages',
    title: 'List messages',
    description:
      'Messages that a device sent and received, newest first, with how far each one got. A search may give an empty page with a nextCursor: go on with it. searchedSince is how far it has looked; without a nextCursor, go on with it as until if earlier messages matter',
    input: z.object({
      device,
      chat: z.string().optional().describe('Only those of this chat: a phone number, or a JID'),
      q: z.string().min(1).max(200).optional().describe('Only those that contain all of these words'),
      type: z.string().optional().describe('Only this type: text, image, document, …'),
      from: z.string().optional().describe('Only those of this sender (number or JID)'),
      since: z.string().optional().describe('From this time on (RFC 3339)'),
      until: z.string().optional().describe('Up to this time (RFC 3339)'),
      limit,
      cursor,
    }),
    output: z.object({ messages: z.array(messageRow), nextCursor, searchedSince: z.string().nullable() }),
    hints: reads,
    run: async ({ device: id, ...filter }) => {
      type Page = { messages: readonly Message[]; nextCursor: string | null; searchedSince: string | null };
      const page = await tools.client.call<Page>('GET', `/devices/${id}/messages${queryOf(filter)}`);
      const { nextCursor: next, searchedSince } = page;
      return { messages: page.messages.map(rowOf), nextCursor: next, searchedSince };
    },
  });

interface Receipt {
  readonly person: Person;
  readonly deliveredAt: string | null;
  readonly readAt: string | null;
  readonly playedAt: string | null;
}

interface Poll {
  readonly options: readonly { readonly option: string; readonly voters: readonly Person[] }[];
}

const registerOne = (tools: Tools): void =>
  addTool(tools, {
    name: 'get_message',
    title: 'Show a message',
    description:
      'One message with everything in it, its state (pending, accepted, delivered, read, failed) and the time of each step; on request who has received and read it, or the votes on a poll',
    input: z.object({
      device,
      messageId,
      receipts: z.boolean().optional().describe('With who has received and read it'),
      votes: z.boolean().optional().describe('With the votes, where it is a poll'),
    }),
    output: z.object({
      message: messageDetail,
      receipts: z
        .array(
          z.object({
            person: z.string(),
            deliveredAt: z.string().nullable(),
            readAt: z.string().nullable(),
            playedAt: z.string().nullable(),
          }),
        )
        .optional(),
      votes: z.array(z.object({ option: z.string(), voters: z.array(z.string()) })).optional(),
    }),
    hints: reads,
    run: async ({ receipts, votes, ...given }) => {
      const { client } = tools;
      const path = pathOf(given);
      const found = await client.call<{ message: Json }>('GET', path);
      const read =
        receipts === true && (await client.call<{ receipts: readonly Receipt[] }>('GET', `${path}/receipts`));
      const poll = votes === true && (await client.call<{ poll: Poll }>('GET', `${path}/poll`));
      return {
        message: detailOf(found.message),
        ...(read !== false && { receipts: read.receipts.map((one) => ({ ...one, person: nameOf(one.person) })) }),
        ...(poll !== false && {
          votes: poll.poll.options.map(({ option, voters }) => ({ option, voters: voters.map(nameOf) })),
        }),
      };
    },
  });

export const registerMessageTools = (tools: Tools): void => {
  registerList(tools);
  registerOne(tools);
};
