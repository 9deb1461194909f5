/** The declaration of an operation: how it is called and what it answers. Its code is in `src/http/handlers/`. */
import type { Static, TSchema } from 'typebox';
import type { KeyAction } from '../domain/user.ts';
import type { ErrorName } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Tag =
  | 'Devices'
  | 'Messages'
  | 'Chats'
  | 'Groups'
  | 'Statuses'
  | 'Channels'
  | 'Events'
  | 'Webhooks'
  | 'Account'
  | 'Service'
  | 'Operator';

/** `destroys`: cannot be undone. `sends`: somebody receives a new message. */
export type Effect = 'reads' | 'changes' | 'destroys' | 'sends';
/** Permission a key needs; `any`: none; `operator`: only the admin token. */
export type Action = KeyAction | 'any' | 'operator';
export type Version = '0.1.0' | '0.2.0' | '0.3.0' | '0.4.0';

export type Immutable<T> = T extends readonly (infer E)[]
  ? readonly Immutable<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;

/** Bytes of a body with a file in base64. */
export const mediaLimit = 15 * 1_048_576;

export interface BodyOf<Schema extends TSchema> {
  readonly schema: Schema;
  readonly optional?: boolean;
  readonly limit?: number;
  /** Values that it may have; those of `domain/json.ts` if omitted. */
  readonly maxValues?: number;
  /** A large member, kept as bytes outside the parsed body (`large-member.ts`). */
  readonly largeMember?: string;
  readonly examples: Readonly<Record<string, unknown>>;
}

export interface OtherContent {
  readonly type: string;
  readonly description: string;
}

/** The MCP tool that makes the request. Its title, schemas and hints follow from the declaration. */
export interface ToolOf {
  readonly name: string;
  /** For a model; default: the summary. */
  readonly description?: string;
  /** Members of the query and the body that it takes; default: all. */
  readonly takes?: readonly string[];
  /** A POST that changes nothing. */
  readonly reads?: boolean;
}

export interface DeclarationOf<
  Path extends string,
  Body extends TSchema,
  Query extends TSchema,
  Answer extends TSchema,
> {
  readonly id: string;
  readonly method: Method;
  /** Below `/v1` or `/admin/v1`. `{id}` is a device of the caller, otherwise 404. */
  readonly path: Path;
  /**
   * `chat typing <device> <chat> <state>`: words, then positionals, optional ones in brackets, then the flag that asks
   * for it (`--rotate`). Operations with the same words are one command (`command-table.ts`). Null: no command.
   */
  readonly command: string | null;
  /** What the command takes for null, or for an empty list, by member. */
  readonly nullWords?: Readonly<Record<string, string>>;
  /** Name in the client libraries, `labels.create`. Null: in none. */
  readonly client?: string | null;
  readonly tool?: ToolOf;
  readonly effect: Effect;
  readonly action: Action;
  readonly since: Version;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly body?: BodyOf<Body>;
  /** The body is a file, or a form with one (`file-body.ts`). */
  readonly takesFile?: boolean;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: TSchema }>>;
  readonly success?: 202;
  readonly answer?: Answer;
  readonly otherContent?: readonly OtherContent[];
  readonly ranges?: boolean;
  /** Serialized by the schema, which is fast and drops other members; otherwise as plain JSON. */
  readonly bySchema?: boolean;
  /** Needs the device's session: its node answers. */
  readonly atOwner?: boolean;
  readonly connected?: boolean;
  /** Makes a message, whose id stays the same if another node repeats the request. */
  readonly sends?: boolean;
  /** A one-time token for the device may replace the key, from any page. */
  readonly oneTimeToken?: boolean;
  /** In addition to those that follow from the shape (`errors.ts`). */
  readonly errors?: readonly ErrorName[];
}

export type Declaration = DeclarationOf<string, TSchema, TSchema, TSchema>;

export type AnswerOf<Answer extends TSchema> = Immutable<Static<Answer>>;

/** Keeps the types of path, body, query and answer for the handler. */
export const declare = <const Path extends string, Body extends TSchema, Query extends TSchema, Answer extends TSchema>(
  declaration: DeclarationOf<Path, Body, Query, Answer>,
): DeclarationOf<Path, Body, Query, Answer> =>
  declaration.connected === true ? { ...declaration, atOwner: true } : declaration;

export const reads = (since: Version, action: Action = 'read') =>
  ({ method: 'GET', effect: 'reads', action, since }) as const;

export const changes = (since: Version, action: Action) => ({ effect: 'changes', action, since }) as const;

export const destroys = (since: Version, action: Action) => ({ effect: 'destroys', action, since }) as const;

type OfWebhooks<Path extends string, Body extends TSchema, Query extends TSchema, Answer extends TSchema> = Omit<
  DeclarationOf<Path, Body, Query, Answer>,
  'id' | 'tag' | 'client'
> & {
  /** Name in the client libraries, of `webhooks` and `accountWebhooks`. */
  readonly client: string;
  readonly primaryClient?: string;
  /** `operationId` for a device's webhooks, account-wide ones, and the primary one if that has a path of its own. */
  readonly ids: { readonly device: string; readonly account: string; readonly primary?: string };
  /** For the primary one; default: the same. */
  readonly primarySummary?: string;
  readonly primarySince?: Version;
};

export interface WebhookDeclarations<
  Path extends string,
  Body extends TSchema,
  Query extends TSchema,
  Answer extends TSchema,
> {
  readonly device: DeclarationOf<string, Body, Query, Answer>;
  readonly account: DeclarationOf<string, Body, Query, Answer>;
  readonly primary: DeclarationOf<string, Body, Query, Answer> | null;
  /** Below `/devices/{id}/webhooks` and `/webhooks`. */
  readonly path: Path;
}

/** Declares an operation on a device's webhooks and account-wide ones at once; the primary one is below `/devices/{id}`, without `/{webhookId}`. */
export const declareOfWebhooks = <
  const Path extends string,
  Body extends TSchema,
  Query extends TSchema,
  Answer extends TSchema,
>({
  ids,
  path,
  summary,
  primarySummary = summary,
  primarySince,
  tool,
  client,
  primaryClient,
  ...rest
}: OfWebhooks<Path, Body, Query, Answer>): WebhookDeclarations<Path, Body, Query, Answer> => {
  const make = (
    id: string,
    whole: string,
    title: string,
    more: Partial<DeclarationOf<string, Body, Query, Answer>> = {},
  ): DeclarationOf<string, Body, Query, Answer> => ({
    ...rest,
    tag: 'Webhooks',
    id,
    path: whole,
    summary: title,
    ...more,
  });
  return {
    path,
    device: make(ids.device, `/devices/{id}/webhooks${path}`, summary, {
      client: `webhooks.${client}`,
      ...(tool && { tool }),
    }),
    account: make(ids.account, `/webhooks${path}`, `${summary} (account-wide)`, {
      action: 'admin',
      client: `accountWebhooks.${client}`,
    }),
    primary:
      ids.primary === undefined
        ? null
        : make(ids.primary, `/devices/{id}${path.replace('/{webhookId}', '')}`, primarySummary, {
            command: null,
            client: primaryClient ?? null,
            since: primarySince ?? rest.since,
          }),
  };
};

export interface Usage {
  readonly words: string;
  readonly positionals: readonly { readonly name: string; readonly optional: boolean }[];
  readonly flag: string | null;
}

const isPositional = (part: string): boolean => part.startsWith('<') || part.startsWith('[');

export const usageOf = (command: string): Usage => {
  const parts = command.split(' ');
  return {
    words: parts.filter((part) => !isPositional(part) && !part.startsWith('--')).join(' '),
    positionals: parts
      .filter(isPositional)
      .map((part) => ({ name: part.slice(1, -1), optional: part.startsWith('[') })),
    flag: parts.find((part) => part.startsWith('--'))?.slice(2) ?? null,
  };
};
