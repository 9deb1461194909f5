/** `handset mcp` as tests start it, and what its answers consist of. */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const handset = join(import.meta.dirname, '../../src/cli/handset.ts');

/** The SDK's client, connected to `handset mcp`. */
export const connect = async (url: string, key: string, ...options: readonly string[]): Promise<Client> => {
  const env = { HANDSET_URL: url, HANDSET_KEY: key, PATH: process.env.PATH ?? '' };
  const client = new Client({ name: 'test', version: '1' });
  const args = [handset, 'mcp', ...options];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  return client;
};

/** Bytes of a list, as the model reads it. */
export const mostBytes = 10_000;

export interface Content {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly resource?: { readonly blob: string };
}
