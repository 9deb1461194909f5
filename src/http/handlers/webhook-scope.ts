/** Operations on the webhooks of a device (`/devices/{id}/webhooks`) and on account-wide ones (`/webhooks`), each written once for both. */
import type { TSchema } from 'typebox';
import { type Webhook, webhookIdOf } from '../../domain/webhooks/webhook.ts';
import { notFound } from '../../errors.ts';
import { type Call, operation, type Operation, type OperationOf } from '../wire/operation.ts';

type WebhookCall<Path extends string, Body extends TSchema, Query extends TSchema> = Omit<
  Call<Path, Body, Query>,
  'deviceId'
> & {
  /** Null: account-wide. */
  readonly deviceId: number | null;
};

type Declared<Path extends string, Body extends TSchema, Query extends TSchema, Answer extends TSchema> = Omit<
  OperationOf<Path, Body, Query, Answer>,
  'id' | 'run' | 'tag'
> & {
  /** `operationId`: of a device's, of account-wide ones, and of the primary one where that has a path of its own. */
  readonly ids: { readonly device: string; readonly account: string; readonly primary?: string };
  /** The summary for the primary one; by default the same. */
  readonly primarySummary?: string;
  readonly run: (call: WebhookCall<Path, Body, Query>) => ReturnType<OperationOf<Path, Body, Query, Answer>['run']>;
};

export type WebhookOperation = Readonly<Record<'device' | 'account', Operation>> & {
  readonly primary: Operation | null;
};

/** `path` is below `/devices/{id}/webhooks` and `/webhooks`; for the primary webhook it is below `/devices/{id}`, without `/{webhookId}`. */
export const webhookOperations = <
  const Path extends string,
  Body extends TSchema,
  Query extends TSchema,
  Answer extends TSchema,
>(
  declared: Declared<Path, Body, Query, Answer>,
): WebhookOperation => {
  const { ids, path, summary, primarySummary = summary, run, ...rest } = declared;
  const make = (id: string, whole: string, title: string, scope: object, params: object): Operation =>
    operation<string, Body, Query, Answer>({
      ...rest,
      tag: 'Webhooks',
      id,
      path: whole,
      summary: title,
      run: (call) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of the whole path are those of `path`
        run({ ...call, ...scope, params: { ...call.params, ...params } } as unknown as WebhookCall<Path, Body, Query>),
    });
  return {
    device: make(ids.device, `/devices/{id}/webhooks${path}`, summary, {}, {}),
    account: make(ids.account, `/webhooks${path}`, `${summary} (account-wide)`, { deviceId: null }, {}),
    primary:
      ids.primary === undefined
        ? null
        : make(ids.primary, `/devices/{id}${path.replace('/{webhookId}', '')}`, primarySummary, {}, primaryParams),
  };
};

const primaryParams = { webhookId: 'primary' };

/** Throws NotFound. */
export const webhookIn = async (
  { parts, caller, deviceId }: Pick<WebhookCall<string, TSchema, TSchema>, 'parts' | 'caller' | 'deviceId'>,
  name: string,
): Promise<Webhook> => {
  const { webhooks } = parts.stores;
  if (name === 'primary' && deviceId !== null) return webhooks.primary(deviceId);
  const id = webhookIdOf(name);
  const webhook = id === null ? null : await webhooks.find(caller.user.id, deviceId, id);
  if (webhook === null || webhook.isPrimary) throw notFound('Webhook');
  return webhook;
};
