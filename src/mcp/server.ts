/** The MCP server: a client of the HTTP interface with one key. */
import { McpServer } from '@modelcontextprotocol/server';
import { Type } from 'typebox';
import { allKinds } from '../domain/event.ts';
import type { KeyLimits } from '../domain/user.ts';
import { type Client, CommandError, exitCodes } from './client.ts';
import { eventFeed } from './event-feed.ts';
import { declaredTools } from './declared.ts';
import { deviceTools } from './device-tools.ts';
import { fileTools } from './file-tools.ts';
import { briefOf } from './forms.ts';
import { groupTools } from './group-tools.ts';
import { addTool, type Tool, choice, device, open, ownTool, reads, text } from './tool.ts';

const instructions = [
  'Handset: WhatsApp accounts as devices. Begin with list_devices: its ids are the device of all other tools.',
  'A device can send when its status is "connected". A send succeeds when the network has accepted the message.',
  'Lists come in short rows and pages, of 20 rows or up to 100 by limit: pass nextCursor as cursor to go on, and narrow them by their filters.',
  'Give an idempotencyKey when a call may be repeated: repeats with the same key are done once.',
  'A person, a chat or a recipient (to) is a phone number with country code or a JID, a recipient also @ and a username (@name:1234 with a key); a group is a JID.',
  'quotedMessageId is the message of the chat that a message answers.',
  'With sendAt (a time with its zone, within 90 days) a send waits until then, for reminders.',
  'What is null or empty is left out of answers. Times are in RFC 3339. Write to people only as the user asks: no bulk or unsolicited messages.',
].join(' ');

const usualSeconds = 60;

const eventTools = [
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

const areas = {
  devices: [...deviceTools, ...declaredTools('devices')],
  messages: [...fileTools, ...declaredTools('messages')],
  chats: declaredTools('chats'),
  groups: [...groupTools, ...declaredTools('groups')],
  statuses: declaredTools('statuses'),
  channels: declaredTools('channels'),
  people: declaredTools('people'),
  events: [...eventTools, ...declaredTools('events')],
  webhooks: declaredTools('webhooks'),
} as const satisfies Readonly<Record<string, readonly Tool[]>>;

type Area = keyof typeof areas;

const isArea = (name: string): name is Area => Object.hasOwn(areas, name);

/** Comma-separated areas; all if undefined. Throws CommandError for unknown ones. */
export const areasIn = (list: string | undefined): readonly Area[] => {
  const names = list?.split(',').map((name) => name.trim()) ?? Object.keys(areas);
  return names.map((name) => {
    if (isArea(name)) return name;
    throw new CommandError(
      `unknown area of tools: ${name}; there are ${Object.keys(areas).join(', ')}`,
      exitCodes.usage,
    );
  });
};

interface Offered {
  readonly areas?: readonly Area[];
  readonly readOnly?: boolean;
  readonly limits: KeyLimits;
}

const isFor = ({ action, hints, allDevices }: Tool, { devices, actions }: KeyLimits): boolean =>
  (actions?.includes(action ?? (hints.readOnlyHint === true ? 'read' : 'manage')) ?? true) &&
  (devices === null || allDevices !== true);

/** With the tools the key may use; the service refuses the others in any case. */
export const makeMcpServer = (client: Client, version: string, offered: Offered): McpServer => {
  const server = new McpServer({ name: 'handset', title: 'Handset', version }, { instructions });
  for (const tool of (offered.areas ?? areasIn(undefined)).flatMap((area): readonly Tool[] => areas[area])) {
    const allowed = offered.readOnly !== true || tool.hints.readOnlyHint === true;
    if (allowed && isFor(tool, offered.limits)) addTool(server, client, tool);
  }
  return server;
};
