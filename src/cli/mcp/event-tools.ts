/** MCP tools for events: read the log, and wait for something to happen. */
import { z } from 'zod';
import { allKinds, type EventEnvelope } from '../../domain/event.ts';
import { eventFeed } from '../terminal/event-feed.ts';
import { type Tools, device, limit, orError, reads, result } from './tool.ts';

const after = z.string().optional().describe('Id of the last event already seen (evt_…)');

const order = z.enum(['oldest', 'newest']).optional().describe('oldest first when left out');

const before = z.string().optional().describe('With order newest: id of the oldest event already seen');

const kinds = z.array(z.enum(allKinds)).optional().describe('Only events of these kinds; all when left out');

/** QRs are for eyes: get_device shows the one that is good now. */
const shown = (event: EventEnvelope): EventEnvelope =>
  event.type === 'connection.auth' ? { ...event, data: 'a new QR; see get_device' } : event;

export const registerEventTools = ({ server, client }: Tools): void => {
  server.registerTool(
    'list_events',
    {
      description:
        'The event log of a device (kept for some days): oldest first, after an event or from the start; or newest first, before an event or from the end',
      inputSchema: z.object({ device, kinds, order, after, before, limit }),
      annotations: reads,
    },
    ({ device: id, ...given }) =>
      orError(async () => {
        const query = new URLSearchParams({ limit: String(given.limit) });
        for (const name of ['order', 'after', 'before'] as const) {
          if (given[name] !== undefined) query.set(name, given[name]);
        }
        if (given.kinds !== undefined) query.set('types', given.kinds.join(','));
        const page = await client.call<{ events: readonly EventEnvelope[]; nextCursor: string | null }>(
          'GET',
          `/devices/${id}/events?${query.toString()}`,
        );
        return result({ events: page.events.map(shown), nextCursor: page.nextCursor });
      }),
  );
  server.registerTool(
    'wait_for_event',
    {
      description:
        'Waits for the next event of a device: an answer, a receipt, the scan of its QR. Gives null when none came in time',
      inputSchema: z.object({
        device,
        kinds,
        after,
        timeoutSeconds: z.number().int().min(1).max(300).default(60),
      }),
      annotations: reads,
    },
    (given, context) =>
      orError(async () => {
        const inTime = AbortSignal.timeout(given.timeoutSeconds * 1000);
        const signal = AbortSignal.any([inTime, context.mcpReq.signal]);
        try {
          for await (const event of eventFeed(client, given.device, given.after ?? null, signal, () => undefined)) {
            if (given.kinds === undefined || given.kinds.some((kind) => kind === event.type)) {
              return result({ event: shown(event) });
            }
          }
        } catch (error) {
          if (!inTime.aborted) throw error;
        }
        return result({ event: null });
      }),
  );
};
