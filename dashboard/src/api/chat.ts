/** A chat of a device and a person that its account knows. */
import type { Schemas } from './schemas.ts';

export type Chat = Schemas['Chat'];
export type Contact = Schemas['KnownContact'];
