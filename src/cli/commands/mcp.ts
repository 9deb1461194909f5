/** `handset mcp`: the tools of the interface for a language model, over standard input and output. */
import type { Command } from '../command.ts';

export const mcp: Command = {
  words: 'mcp',
  summary: 'Serve MCP tools over standard input and output, bound to one key',
  positionals: [],
  options: {},
  optionHelp: {},
  async run({ client, signal }) {
    const bound = client();
    const { service } = await bound.call<{ service: { version: string } }>('GET', '/me');
    // Only who needs the SDK pays for loading it.
    const { serveMcp } = await import('../mcp/server.ts');
    await serveMcp(bound, service.version, signal);
  },
};
