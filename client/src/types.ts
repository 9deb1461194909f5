/** Names for the types that users write down, out of the types of the OpenAPI document. */
import type { components } from './schema.ts';

type Schemas = components['schemas'];

export type Device = Schemas['Device'];
export type Session = Schemas['Session'];
export type Message = Schemas['Message'];
export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
export type EventKind = Schemas['EventKind'];

/** Any event of the log; `data` goes by `type`. */
export type HandsetEvent = Schemas['Event'];
export type EventOf<Kind extends EventKind> = Extract<HandsetEvent, { type: Kind }>;
export type TestEvent = Schemas['TestEvent'];

/** Any payload that a webhook receives: an event, or a test. */
export type WebhookEvent = HandsetEvent | TestEvent;
