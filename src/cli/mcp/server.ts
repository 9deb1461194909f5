/** The MCP server: tools for devices, messages and events, as a client of the HTTP interface with one key. */
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Client } from '../client.ts';
import { registerGroupTools } from './group-tools.ts';
import { registerChatTools } from './chat-tools.ts';
import { registerDeviceTools } from './device-tools.ts';
import { registerEventTools } from './event-tools.ts';
import { registerChangeTools, registerKindTools } from './message-changes.ts';
import { registerPeopleTools } from './people-tools.ts';
import { registerMessageTools } from './message-tools.ts';

const instructions =
  'Handset: WhatsApp accounts as devices. Begin with list_devices. A device can send when its status is "connected". Write to people only as the user asks: no bulk or unsolicited messages.';

/** Speaks over standard input and output, until they end or the signal says so. */
export const serveMcp = async (client: Client, version: string, signal: AbortSignal): Promise<void> => {
  const server = new McpServer({ name: 'handset', version }, { instructions });
  const tools = [
    registerDeviceTools,
    registerMessageTools,
    registerKindTools,
    registerChangeTools,
    registerChatTools,
    registerGroupTools,
    registerPeopleTools,
    registerEventTools,
  ];
  for (const register of tools) register({ server, client });
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
