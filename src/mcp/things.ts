/** Types of the service's answers, from the client library. */
import type { Answer as AnswerOf, Id } from '../../client/src/calls.ts';
import type { components } from '../../client/src/schema.ts';

export type Things = components['schemas'];

export type Device = Things['Device'];
export type Session = Things['Session'];
export type DeviceSettings = Things['DeviceSettings'];

export type Answer<Op extends Id> = AnswerOf<Op>;
