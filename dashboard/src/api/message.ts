/** A message of the log and of the events, with all its parts. */
import type { Schemas } from './schemas.ts';

export type Person = Schemas['Person'];
export type Media = Schemas['Media'];
export type Place = Schemas['Location'];
export type SharedContact = Schemas['SharedContact'];
export type Referral = Schemas['Referral'];
export type LinkPreview = Schemas['LinkPreview'];

export type Update = Schemas['MessageUpdatedEvent']['data']['update'];
export type Response = Extract<Update, { readonly response: unknown }>;
export type EventAnswer = Response['response'];

export interface Message extends Readonly<Schemas['Message']> {
  /** These two are told by events only. */
  readonly responses?: readonly Response[];
  readonly pinned?: boolean;
}
export type MessageState = Message['state'];
export type MessageType = Message['type'];
export type Reaction = Message['reactions'][number];
