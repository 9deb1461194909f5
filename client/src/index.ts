/** `@handset/client`: typed calls, webhook verification, resuming event streams, and retries that never send a message twice. */
export { createHandset, type Handset, type HandsetOptions } from './client.ts';
export type { Answer, CallOptions, Calls, Pages, Parameters } from './calls.ts';
export { HandsetError, HandsetUnreachable, unwrap } from './errors.ts';
export type { EventStreamOptions } from './events.ts';
export type { RetryOptions } from './retry.ts';
export type { components, operations, paths, webhooks } from './schema.ts';
export type {
  Delivery,
  Device,
  EventKind,
  EventOf,
  HandsetEvent,
  Message,
  Session,
  TestEvent,
  Webhook,
  WebhookEvent,
} from './types.ts';
export type { UploadOptions, UploadSource } from './upload.ts';
export { receiveWebhook, verifyWebhook, WebhookVerificationError, type VerifyOptions } from './webhook.ts';
