/** The things of the interface as the client library has them, made from the contract, for readers. */
import type { Answer as AnswerOf, Id } from '../../../client/src/calls.ts';
import type { components } from '../../../client/src/schema.ts';

type Immutable<T> = T extends object ? { readonly [Name in keyof T]: Immutable<T[Name]> } : T;

export type Schemas = Immutable<components['schemas']>;

/** What an operation answers, without the status, which says what HTTP says. */
export type Answer<Op extends Id> = Immutable<Omit<AnswerOf<Op>, 'status'>>;
