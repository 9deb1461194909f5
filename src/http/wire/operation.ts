/** One operation: how it is called, what it answers, and its code. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Actor } from '../../domain/audit.ts';
import type { SendAttempt } from '../../domain/messages/outgoing.ts';
import type { DeviceScope } from '../../service/sessions/scope.ts';
import type { Caller } from '../admission/admission.ts';
import type { AdmissionTicket, Deadline } from '../admission/ticket.ts';
import type { Verified } from './node-auth.ts';
import type { Parts } from './parts.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type ErrorCode = 400 | 401 | 403 | 404 | 408 | 409 | 413 | 416 | 422 | 429 | 500 | 503;
export type Tag =
  | 'Devices'
  | 'Messages'
  | 'Chats'
  | 'Groups'
  | 'Events'
  | 'Webhooks'
  | 'Account'
  | 'Service'
  | 'Operator';

export type Immutable<T> = T extends readonly (infer E)[]
  ? readonly Immutable<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

type DeviceName = 'id' | 'deviceId';

export interface Call<Path extends string, Body extends TSchema, Query extends TSchema> {
  readonly parts: Parts;
  /** Throws below `/admin/v1`, where there is no user. */
  readonly caller: Caller;
  /** For the audit log. */
  readonly actor: Actor;
  /** The caller's device `{id}`, or any user's `{deviceId}`. */
  readonly scope: [ParamNames<Path> & DeviceName] extends [never] ? never : DeviceScope;
  readonly deviceId: [ParamNames<Path> & DeviceName] extends [never] ? never : number;
  readonly params: Readonly<Record<Exclude<ParamNames<Path>, DeviceName>, string>>;
  readonly body: Immutable<Static<Body>>;
  readonly query: Immutable<Static<Query>>;
  /** Aborted at the request's deadline. */
  readonly signal: AbortSignal;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface BodyOf<Schema extends TSchema> {
  readonly schema: Schema;
  /** The whole body may be omitted. */
  readonly optional?: boolean;
  /** Bytes. */
  readonly limit?: number;
  /** A possibly large field, whose bytes are kept out of the parsed body (`large-member.ts`). */
  readonly largeMember?: string;
  readonly examples: Readonly<Record<string, unknown>>;
}

/** An answer other than JSON. */
export interface OtherContent {
  readonly type: string;
  readonly description: string;
}

export interface OperationOf<Path extends string, Body extends TSchema, Query extends TSchema, Answer extends TSchema> {
  /** `operationId` of the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  /** Below `/v1`. `{id}` is a device of the caller's, or 404. */
  readonly path: Path;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly body?: BodyOf<Body>;
  /** The body is a file or a form with one, read by the operation (`file-body.ts`). */
  readonly takesFile?: boolean;
  readonly query?: Query;
  /** Beside `Authorization`. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: TSchema }>>;
  /** 200 by default. */
  readonly success?: 202;
  readonly answer?: Answer;
  readonly otherContent?: readonly OtherContent[];
  /** Answers `Range` with 206. */
  readonly ranges?: boolean;
  /** Serialised by the schema, which is fast and drops other members; otherwise as plain JSON. */
  readonly bySchema?: boolean;
  /** Needs the device's session: the node that has it answers. */
  readonly atOwner?: boolean;
  /** Makes a message, whose id stays the same if another node repeats the request. */
  readonly sends?: boolean;
  /** A one-time token for the device may stand in for the key, from any page. */
  readonly oneTimeToken?: boolean;
  readonly errors: readonly ErrorCode[];
  run(call: Call<Path, Body, Query>): Promise<Immutable<Static<Answer>> | FastifyReply>;
}

export interface AnyCall extends Omit<Call<string, TSchema, TSchema>, 'scope' | 'deviceId' | 'params'> {
  readonly scope: DeviceScope | null;
  readonly deviceId: number | null;
  readonly params: Readonly<Record<string, string>>;
}

/** Any operation, as seen by the server and the OpenAPI document. */
export interface Operation extends Omit<OperationOf<string, TSchema, TSchema, TSchema>, 'run'> {
  run(call: AnyCall): Promise<unknown>;
}

/** The types of its call and answer follow from its path and schemas. */
export const operation = <
  const Path extends string,
  Body extends TSchema,
  Query extends TSchema,
  Answer extends TSchema,
>(
  declared: OperationOf<Path, Body, Query, Answer>,
): Operation => declared;

/** State of a request while it is served. */
declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    deadline: Deadline | null;
    isOperator: boolean;
    /** The id of a send that may be forwarded between nodes. */
    attempt: SendAttempt | null;
    /** Null for unknown routes and wrong methods. */
    operation: Operation | null;
    /** The verified signature of the node that forwarded the request, which has admitted it; null: it comes from a caller. */
    passedOn: Verified | null;
    /** Like `/v1/devices/:id`. */
    route: string;
    /** Set once the owner is proved. */
    scope: DeviceScope | null;
    startedAt: number;
    /** Null before admission, and without a user. */
    ticket: AdmissionTicket | null;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}
