/** The webhooks of the OpenAPI document (docs/spec/webhooks.md, Webhook). */
import type { TSchema } from 'typebox';
import { eventKinds } from '../../domain/event.ts';
import { type Json, type SchemaBook, webhookExamples } from './openapi-schema.ts';
import { TestEventSchema, eventData, eventSchemas } from '../../contract/schemas/event.ts';

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const parameters = [
  header('webhook-id', 'Id of the event; the same on every retry', 'evt_000000010d1st1y401'),
  header('webhook-timestamp', 'Seconds since the epoch', '1795264133'),
  header(
    'webhook-signature',
    '`v1,<base64>`, space-separated: Standard Webhooks',
    'v1,/hrIz++xM4rxZmPRMmQ+VQ5cR2zJYtEW5Cv3anYK9Dk=',
  ),
];

const responses: Json = {
  '2XX': { description: 'Taken' },
  '410': { description: 'Stops this webhook until `webhookUrl` is set again' },
  default: { description: 'Anything else, or nothing within 15 s: it is posted again later' },
};

const posted = (kind: string, when: string, schema: TSchema, book: SchemaBook): Json => {
  const examples = webhookExamples(kind);
  const content = { 'application/json': { schema: book.use(schema), ...examples } };
  const operationId = `on${kind.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
  const requestBody = { required: true, content };
  return { post: { operationId, tags: ['Events'], summary: when, security: [], parameters, requestBody, responses } };
};

export const webhooksOf = (book: SchemaBook): Json => ({
  ...Object.fromEntries(eventKinds.map((kind) => [kind, posted(kind, eventData[kind].when, eventSchemas[kind], book)])),
  test: posted('test', 'The webhook was tested; it is in no log', TestEventSchema, book),
});
