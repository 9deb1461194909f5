/** How an MCP tool is declared here: its arguments as a schema, and an answer of the interface as its result. */
import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { messageOf } from '../../errors.ts';
import type { Client } from '../client.ts';

/** The dependencies of the tools. */
export interface Tools {
  readonly server: McpServer;
  /** Bound to one key. */
  readonly client: Client;
}

export const device = z.number().int().positive().describe('Id of the device, as list_devices shows it');

export const limit = z.number().int().min(1).max(200).default(20).describe('How many at most');

/** Nothing but reading. */
export const reads: ToolAnnotations = { readOnlyHint: true };
/** Changes something that cannot be brought back. */
export const destroys: ToolAnnotations = { readOnlyHint: false, destructiveHint: true };
/** Changes something, and destroys nothing. */
export const changes: ToolAnnotations = { readOnlyHint: false, destructiveHint: false };

/** An answer as text that models read. */
export const result = (value: unknown): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value, null, 1) }],
});

/** An answer with a PNG data URL that the person is to see. */
export const resultWithImage = (value: unknown, dataUrl: string | null): CallToolResult => {
  const [, data] = /^data:image\/png;base64,(.+)$/.exec(dataUrl ?? '') ?? [];
  const image = data === undefined ? [] : [{ type: 'image' as const, data, mimeType: 'image/png' }];
  return { content: [...result(value).content, ...image] };
};

/** Reports the service's refusals to the model, in the service's words. */
export const orError = async (work: () => Promise<CallToolResult>): Promise<CallToolResult> => {
  try {
    return await work();
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: messageOf(error) }] };
  }
};
