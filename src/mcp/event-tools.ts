/** The MCP tool that waits for something to happen. */
import { Type } from 'typebox';
import { allKinds } from '../domain/event.ts';
import { eventFeed } from './event-feed.ts';
import { briefOf } from './forms.ts';
import { choice, device, open, ownTool, reads, text } from './tool.ts';

const usualSeconds = 60;

export const eventTools = [
  ownTool({
    name: 'wait_for_event',
    title: 'Wait for an event',
    description:
      'Waits for the next event of a device: an answer, a receipt, the scan of its QR. Gives null when none came in time',
    input: {
      device,
      kinds: Type.Optional(Type.Array(choice(...allKinds))),
      after: Type.Optional(Type.String({ description: 'Id of the last event already seen (evt_…)' })),
      timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 300, default: usualSeconds })),
    },
    output: { event: Type.Union([open({ id: text, type: text }), Type.Null()]) },
    hints: { ...reads, idempotentHint: false },
    run: async (client, given, context) => {
      const inTime = AbortSignal.timeout((given.timeoutSeconds ?? usualSeconds) * 1000);
      const signal = AbortSignal.any([inTime, context.mcpReq.signal]);
      try {
        for await (const event of eventFeed(client, given.device, given.after ?? null, signal, () => undefined)) {
          if (given.kinds === undefined || given.kinds.some((kind) => kind === event.type)) return briefOf({ event });
        }
      } catch (error) {
        if (!inTime.aborted) throw error;
      }
      return { event: null };
    },
  }),
];
