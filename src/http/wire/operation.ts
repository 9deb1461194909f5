/** Binds code to the declaration of an operation. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { AnswerOf, Declaration, DeclarationOf, Immutable } from '../../contract/operation.ts';
import type { Actor } from '../../domain/audit.ts';
import type { SendAttempt } from '../../domain/messages/outgoing.ts';
import type { DeviceScope } from '../../service/sessions/runtimes.ts';
import type { Caller } from '../admission/admission.ts';
import type { AdmissionTicket, Deadline } from '../../service/users/admission.ts';
import type { Verified } from './node-auth.ts';
import type { Services } from './services.ts';

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

type DeviceName = 'id' | 'deviceId';

export interface Call<Path extends string, Body extends TSchema, Query extends TSchema> {
  readonly services: Services;
  readonly caller: Caller;
  readonly actor: Actor;
  readonly scope: [ParamNames<Path> & DeviceName] extends [never] ? never : DeviceScope;
  readonly deviceId: [ParamNames<Path> & DeviceName] extends [never] ? never : number;
  readonly params: Readonly<Record<Exclude<ParamNames<Path>, DeviceName>, string>>;
  readonly body: Immutable<Static<Body>>;
  readonly query: Immutable<Static<Query>>;
  readonly signal: AbortSignal;
  readonly closing: AbortSignal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface AnyCall extends Omit<Call<string, TSchema, TSchema>, 'scope' | 'deviceId' | 'params'> {
  readonly scope: DeviceScope | null;
  readonly deviceId: number | null;
  readonly params: Readonly<Record<string, string>>;
}

export interface Operation extends Declaration {
  run(call: AnyCall): Promise<unknown>;
}

type NameOf<T> = T extends unknown ? keyof T : never;
type MemberOf<T, Name> = T extends unknown ? (Name extends keyof T ? T[Name] : never) : never;

/** Members, at any depth, that `Said` lacks. */
type Excess<Given, Said> = Given extends readonly (infer Item)[]
  ? Excess<Item, Said extends readonly (infer SaidItem)[] ? SaidItem : never>
  : Given extends object
    ? string extends NameOf<Said>
      ? never
      :
          | Exclude<keyof Given, NameOf<Said>>
          | { [Name in keyof Given & NameOf<Said>]: Excess<Given[Name], MemberOf<Said, Name>> }[keyof Given &
              NameOf<Said>]
    : never;

/** Makes the call impossible if the answer has members the schema lacks. */
export type Exactly<Given, Said> = [Excess<Exclude<Given, FastifyReply>, Said>] extends [never]
  ? []
  : [notInTheSchema: Excess<Exclude<Given, FastifyReply>, Said>];

export const bind = <Path extends string, Body extends TSchema, Query extends TSchema, Answer extends TSchema>(
  declaration: DeclarationOf<Path, Body, Query, Answer>,
  run: (call: Call<Path, Body, Query>) => Promise<AnswerOf<Answer> | FastifyReply>,
): Operation => {
  const bound: DeclarationOf<Path, Body, Query, Answer> & { run: typeof run } = { ...declaration, run };
  return bound;
};

/** The types of the call and its exact answer follow from the declaration. */
export const handle = <
  Path extends string,
  Body extends TSchema,
  Query extends TSchema,
  Answer extends TSchema,
  Given extends AnswerOf<Answer> | FastifyReply,
>(
  declaration: DeclarationOf<Path, Body, Query, Answer>,
  run: (call: Call<Path, Body, Query>) => Promise<Given>,
  ..._exactly: Exactly<Given, AnswerOf<Answer>>
): Operation => bind(declaration, run);

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    deadline: Deadline | null;
    isOperator: boolean;
    attempt: SendAttempt | null;
    operation: Operation | null;
    /** The verified signature of the node that forwarded the request and has admitted it; null: it comes from a caller. */
    passedOn: Verified | null;
    route: string;
    scope: DeviceScope | null;
    startedAt: number;
    /** Null before admission, and without a user. */
    ticket: AdmissionTicket | null;
  }
  interface FastifyContextConfig {
    operation?: Operation;
    isRefusal?: true;
  }
}
