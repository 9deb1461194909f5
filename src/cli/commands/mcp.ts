/** `handset mcp`: MCP tools over standard input and output. */
import { type KeyLimits, noKeyLimits } from '../../domain/user.ts';
import { type Command, flagOption, textOption } from '../command/command.ts';

interface Me {
  readonly service: { readonly version: string };
  readonly key: KeyLimits | null;
}

export const mcp: Command = {
  words: 'mcp',
  summary: 'Serve MCP tools over standard input and output, bound to one key',
  positionals: [],
  options: {
    'read-only': { type: 'boolean', help: 'leave out tools that send or change anything' },
    only: {
      type: 'string',
      value: 'areas',
      help: 'only these areas, separated by commas: devices, messages, chats, groups, statuses, channels, people, events, webhooks',
    },
  },
  async run({ client, signal }, given) {
    const bound = client();
    const { service, key } = await bound.call<Me>('GET', '/me');
    const { areasIn, makeMcpServer } = await import('../../mcp/server.ts');
    const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
    const areas = areasIn(textOption(given, 'only'));
    const server = makeMcpServer(bound, service.version, {
      areas,
      readOnly: flagOption(given, 'read-only'),
      limits: key ?? noKeyLimits,
    });
    const ended = new Promise<void>((resolve) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
      server.server.onclose = resolve;
      process.stdin.once('end', resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await server.connect(new StdioServerTransport());
    await ended;
    await server.close();
  },
};
