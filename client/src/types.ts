/** Named types from the OpenAPI document. */
import type { components } from './schema.ts';

type Schemas = components['schemas'];

export type Device = Schemas['Device'];
export type Session = Schemas['Session'];
export type Message = Schemas['Message'];
export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
export type EventKind = Schemas['EventKind'];

/** Any event; the type of `data` depends on `type`. */
export type HandsetEvent = Schemas['Event'];
export type EventOf<Kind extends HandsetEvent['type']> = Extract<HandsetEvent, { type: Kind }>;
export type TestEvent = Schemas['TestEvent'];

/** The body of a webhook delivery: any event, or a test event. */
export type WebhookEvent = HandsetEvent | TestEvent;
