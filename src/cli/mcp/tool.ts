/** How an MCP tool is declared here: title, hints, schemas of its arguments and its answer, and a function that gives the answer. */
import { z } from 'zod';
import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { plainNumbers } from '../../domain/typed-number.ts';
import { messageOf } from '../../errors.ts';
import type { Client } from '../client/client.ts';

/** The dependencies of the tools. */
export interface Tools {
  readonly server: McpServer;
  /** Bound to one key. */
  readonly client: Client;
  /** Whether tools that change something are left out. */
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

/** A phone number, as people write it. */
export const phone = z.string().min(1).max(64);

export const limit = z.number().int().min(1).max(100).default(20).describe('How many at most');

export const cursor = z.string().min(1).optional().describe('nextCursor of the page before');

/** The end of every list. */
export const nextCursor = z.string().nullable().describe('Cursor of the next page; null at the end');

/** An acknowledgement by the service. */
export const status = z.object({ code: z.number(), message: z.string() });

/** Reads what the service has. */
export const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** Asks the messaging network, and changes nothing. */
export const asks: ToolAnnotations = { ...reads, openWorldHint: true };
/** Reaches people, or makes something: each call once more. */
export const acts: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};
/** Sets something to a value: once more changes nothing. */
export const sets: ToolAnnotations = { ...acts, idempotentHint: true };
/** Ends or deletes something that cannot be brought back. */
export const destroys: ToolAnnotations = { ...sets, destructiveHint: true };

/** One part of an answer, as the protocol has it. */
export type Content = CallToolResult['content'][number];

/** An answer with an image, or another file, that the person is to see. */
export interface WithImage<T> {
  readonly value: T;
  readonly image: Content | null;
}

/** The PNG in a data URL. */
export const imageIn = (dataUrl: string | null): Content | null => {
  const [, data] = /^data:image\/png;base64,(.+)$/.exec(dataUrl ?? '') ?? [];
  return data === undefined ? null : { type: 'image', data, mimeType: 'image/png' };
};

interface Tool<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** The members that the model gets; others of the service's answer are left out. */
  readonly output: Output;
  readonly hints: ToolAnnotations;
  readonly run: (given: z.output<Input>, context: ServerContext) => Promise<object>;
}

const answerOf = (structuredContent: Record<string, unknown>, image: Content | null): CallToolResult => ({
  // Clients that do not know `structuredContent` read the text.
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }, ...(image === null ? [] : [image])],
  structuredContent,
});

const isWithImage = (answer: object): answer is WithImage<unknown> => 'image' in answer && 'value' in answer;

/** The service's refusals reach the model in the service's words. */
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

/** Members that are given, as a query. */
export const queryOf = (given: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
};

/** A page of what the service lists whole. The cursor is the key of the last item shown. */
export const pageOf = <T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  most: number,
  after: string | undefined,
): { readonly page: readonly T[]; readonly nextCursor: string | null } => {
  const start = after === undefined ? 0 : items.findIndex((item) => keyOf(item) === after) + 1;
  const page = items.slice(start, start + most);
  const last = page.at(-1);
  return { page, nextCursor: last === undefined || start + most >= items.length ? null : keyOf(last) };
};
