/** `handset mcp`: MCP tools over standard input and output. */
import { type Command, flagOption, textOption } from '../command/command.ts';

export const mcp: Command = {
  words: 'mcp',
  summary: 'Serve MCP tools over standard input and output, bound to one key',
  positionals: [],
  options: {
    'read-only': { type: 'boolean', help: 'leave out tools that send or change anything' },
    only: { type: 'string', help: 'only these areas: devices, messages, chats, groups, people, events, webhooks' },
  },
  async run({ client, signal }, given) {
    const bound = client();
    const { service } = await bound.call<{ service: { version: string } }>('GET', '/me');
    // Load the SDK only for this command.
    const { areasIn, serveMcp } = await import('../mcp/server.ts');
    const offered = { areas: areasIn(textOption(given, 'only')), readOnly: flagOption(given, 'read-only') };
    await serveMcp(bound, service.version, offered, signal);
  },
};
