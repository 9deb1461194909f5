/** MCP tools for events: read the log, and wait for something to happen. */
import { z } from 'zod';
import { allKinds, type EventEnvelope } from '../../domain/event.ts';
import { eventFeed } from '../terminal/event-feed.ts';
import { detailOf, type Message, rowOf } from './rows.ts';
import { addTool, device, limit, queryOf, reads, type Tools } from './tool.ts';

const after = z.string().optional().describe('Id of the last event already seen (evt_…)');

const kinds = z.array(z.enum(allKinds)).optional().describe('Only events of these kinds; all when left out');

const eventView = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  deviceId: z.number(),
  data: z.record(z.string(), z.unknown()),
});

/** A new QR is replaced by a note, as get_device returns the current one. `form` shortens messages. */
const shown = (event: EventEnvelope, form: (message: Message) => object): object => {
  if (event.type === 'connection.auth') return { ...event, data: { note: 'a new QR; see get_device' } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface is the contract
  const data = event.data as { readonly message?: Message };
  return data.message === undefined ? event : { ...event, data: { ...data, message: form(data.message) } };
};

/** Enough of a message to find it, with its text shortened. */
const short = (message: Message): object => {
  const { id, direction, chat, from, name, type, text, timestamp } = rowOf(message);
  return { id, direction, chat, from, name, type, text, timestamp };
};

const registerList = (tools: Tools): void =>
  addTool(tools, {
    name: 'list_events',
    title: 'List events',
    description:
      'The event log of a device (kept for some days): oldest first, after an event or from the start; or newest first, before an event or from the end',
    input: z.object({
      device,
      kinds,
      order: z.enum(['oldest', 'newest']).optional().describe('oldest first when left out'),
      after,
      before: z.string().optional().describe('With order newest: id of the oldest event already seen'),
      limit,
    }),
    output: z.object({ events: z.array(eventView), nextCursor: z.string().nullable() }),
    hints: reads,
    run: async ({ device: id, kinds: types, ...given }) => {
      type Page = { events: readonly EventEnvelope[]; nextCursor: string | null };
      const query = queryOf({ ...given, types: types?.join(',') });
      const page = await tools.client.call<Page>('GET', `/devices/${id}/events${query}`);
      return { events: page.events.map((event) => shown(event, short)), nextCursor: page.nextCursor };
    },
  });

export const registerEventTools = (tools: Tools): void => {
  registerList(tools);
  addTool(tools, {
    name: 'wait_for_event',
    title: 'Wait for an event',
    description:
      'Waits for the next event of a device: an answer, a receipt, the scan of its QR. Gives null when none came in time',
    input: z.object({ device, kinds, after, timeoutSeconds: z.number().int().min(1).max(300).default(60) }),
    output: z.object({ event: eventView.nullable() }),
    hints: { ...reads, idempotentHint: false },
    run: async (given, context) => {
      const inTime = AbortSignal.timeout(given.timeoutSeconds * 1000);
      const signal = AbortSignal.any([inTime, context.mcpReq.signal]);
      try {
        for await (const event of eventFeed(tools.client, given.device, given.after ?? null, signal, () => undefined)) {
          if (given.kinds === undefined || given.kinds.some((kind) => kind === event.type)) {
            return { event: shown(event, detailOf) };
          }
        }
      } catch (error) {
        if (!inTime.aborted) throw error;
      }
      return { event: null };
    },
  });
};
