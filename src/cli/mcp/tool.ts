/** Declares an MCP tool: title, hints, input and output schemas, and the function that runs it. */
import { z } from 'zod';
import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { plainNumbers } from '../../domain/typed-number.ts';
import { messageOf } from '../../errors.ts';
import type { Client } from '../client/client.ts';

export interface Tools {
  readonly server: McpServer;
  /** Client with the key that all tools use. */
  readonly client: Client;
  /** True: leave out tools that change anything. */
  readonly readOnly: boolean;
}

export const device = z.number().int().positive().describe('Id of the device, as list_devices shows it');

export const messageId = z.string().min(1);

export const message = {
  device,
  messageId,
  idempotencyKey: z.string().min(1).max(255).optional().describe('The same key and change are made once only'),
};

export const pathOf = (given: { readonly device: number; readonly messageId: string }): string =>
  `/devices/${given.device}/messages/${encodeURIComponent(given.messageId)}`;

export const phone = z.string().min(1).max(64);

export const limit = z.number().int().min(1).max(100).default(20).describe('How many at most');

export const cursor = z.string().min(1).optional().describe('nextCursor of the page before');

export const nextCursor = z.string().nullable().describe('Cursor of the next page; null at the end');

export const status = z.object({ code: z.number(), message: z.string() });

/** Reads from the service. */
export const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** Reads from the network. */
export const asks: ToolAnnotations = { ...reads, openWorldHint: true };
/** Not idempotent: sends or creates something with every call. */
export const acts: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};
/** Idempotent change. */
export const sets: ToolAnnotations = { ...acts, idempotentHint: true };
/** Irreversible change. */
export const destroys: ToolAnnotations = { ...sets, destructiveHint: true };

export type Content = CallToolResult['content'][number];

export interface WithImage<T> {
  readonly value: T;
  readonly image: Content | null;
}

export const imageIn = (dataUrl: string | null): Content | null => {
  const [, data] = /^data:image\/png;base64,(.+)$/.exec(dataUrl ?? '') ?? [];
  return data === undefined ? null : { type: 'image', data, mimeType: 'image/png' };
};

interface Tool<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Fields given to the model; other fields of the service's response are dropped. */
  readonly output: Output;
  readonly hints: ToolAnnotations;
  readonly run: (given: z.output<Input>, context: ServerContext) => Promise<object>;
}

const answerOf = (structuredContent: Record<string, unknown>, image: Content | null): CallToolResult => ({
  // For clients without support for `structuredContent`.
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }, ...(image === null ? [] : [image])],
  structuredContent,
});

const isWithImage = (answer: object): answer is WithImage<unknown> => 'image' in answer && 'value' in answer;

/** Errors of the service reach the model with the service's own message. */
export const addTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  { server, readOnly }: Tools,
  { name, title, description, input, output, hints, run }: Tool<Input, Output>,
): void => {
  if (readOnly && hints.readOnlyHint !== true) return;
  const declared = { title, description, inputSchema: input, outputSchema: output, annotations: { title, ...hints } };
  server.registerTool<z.ZodObject, z.ZodObject>(name, declared, async (given, context) => {
    try {
      const answer = await run(input.parse(plainNumbers(given)), context);
      return isWithImage(answer)
        ? answerOf(output.parse(answer.value), answer.image)
        : answerOf(output.parse(answer), null);
    } catch (error) {
      const text =
        error instanceof z.ZodError ? `The answer is not as expected: ${z.prettifyError(error)}` : messageOf(error);
      return { isError: true, content: [{ type: 'text', text }] };
    }
  });
};

export const queryOf = (given: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
};

/** Pages through a list that the service returns whole. The cursor is the key of the last item shown. */
export const pageOf = <T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  max: number,
  after: string | undefined,
): { readonly page: readonly T[]; readonly nextCursor: string | null } => {
  const start = after === undefined ? 0 : items.findIndex((item) => keyOf(item) === after) + 1;
  const page = items.slice(start, start + max);
  const last = page.at(-1);
  return { page, nextCursor: last === undefined || start + max >= items.length ? null : keyOf(last) };
};
