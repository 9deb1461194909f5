/** MCP tools that read messages: the log, and one message with who has read it. */
import { z } from 'zod';
import { messageId, pathOf } from './message-path.ts';
import { detailOf, type Json, type Message, messageDetail, messageRow, rowOf } from './rows.ts';
import { addTool, cursor, device, limit, nextCursor, queryOf, reads, type Tools } from './tool.ts';
import { nameOf, type Person } from '../command/person.ts';

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
