/** The MCP server: a client of the HTTP interface with one key. */
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Client } from '../client/client.ts';
import { CommandError, exitCodes } from '../client/failure.ts';
import { registerChatTools } from './chat-tools.ts';
import { registerDeviceTools } from './device-tools.ts';
import { registerEventTools } from './event-tools.ts';
import { registerFileTools } from './file-tools.ts';
import { registerGroupTools } from './group-tools.ts';
import { registerChangeTools, registerMessageTools } from './message-tools.ts';
import { registerPeopleTools } from './people-tools.ts';
import { registerSendTools } from './send-tools.ts';
import type { Tools } from './tool.ts';
import { registerWebhookTools } from './webhook-tools.ts';

const instructions =
  'Handset: WhatsApp accounts as devices. Begin with list_devices. Lists come in short rows and pages: pass nextCursor as cursor to go on, and narrow them by their filters. A device can send when its status is "connected". Write to people only as the user asks: no bulk or unsolicited messages.';

const areas = {
  devices: [registerDeviceTools],
  messages: [registerSendTools, registerMessageTools, registerFileTools, registerChangeTools],
  chats: [registerChatTools],
  groups: [registerGroupTools],
  people: [registerPeopleTools],
  events: [registerEventTools],
  webhooks: [registerWebhookTools],
} as const satisfies Readonly<Record<string, readonly ((tools: Tools) => void)[]>>;

type Area = keyof typeof areas;

const isArea = (name: string): name is Area => Object.hasOwn(areas, name);

/** Parses comma-separated areas; all if the text is undefined. Throws CommandError for unknown ones. */
export const areasIn = (text: string | undefined): readonly Area[] => {
  const names = text?.split(',').map((name) => name.trim()) ?? Object.keys(areas);
  return names.map((name) => {
    if (isArea(name)) return name;
    throw new CommandError(
      `unknown area of tools: ${name}; there are ${Object.keys(areas).join(', ')}`,
      exitCodes.usage,
    );
  });
};

interface Offered {
  readonly areas: readonly Area[];
  readonly readOnly: boolean;
}

/** Serves until the input ends or the signal aborts. */
export const serveMcp = async (
  client: Client,
  version: string,
  offered: Offered,
  signal: AbortSignal,
): Promise<void> => {
  const server = new McpServer({ name: 'handset', title: 'Handset', version }, { instructions });
  const tools = { server, client, readOnly: offered.readOnly };
  for (const area of offered.areas) for (const register of areas[area]) register(tools);
  const ended = new Promise<void>((resolve) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
    server.server.onclose = resolve;
    process.stdin.once('end', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
};
