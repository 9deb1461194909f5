/** The webhooks of a device (`/devices/{id}/webhooks`), and account-wide ones (`/webhooks`): each operation is written once for both. */
import type { TSchema } from 'typebox';
import { type AdditionalWebhook, webhookIdOf } from '../../domain/webhooks/additional.ts';
import { notFound } from '../../errors.ts';
import { type Call, operation, type Operation, type OperationOf } from '../wire/operation.ts';

type AnyScopeCall<Path extends string, Body extends TSchema, Query extends TSchema> = Omit<
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
  /** `operationId`: of the device's, and of account-wide ones. */
  readonly ids: readonly [device: string, account: string];
  readonly run: (call: AnyScopeCall<Path, Body, Query>) => ReturnType<OperationOf<Path, Body, Query, Answer>['run']>;
};

/** `path` is below `/devices/{id}/webhooks` and `/webhooks`. */
export const webhookOperations = <
  const Path extends string,
  Body extends TSchema,
  Query extends TSchema,
  Answer extends TSchema,
>(
  declared: Declared<Path, Body, Query, Answer>,
): readonly Operation[] => {
  const { ids, path, summary, run, ...rest } = declared;
  const [ofDevice, ofAccount] = ids;
  const device = operation<string, Body, Query, Answer>({
    ...rest,
    tag: 'Webhooks',
    id: ofDevice,
    path: `/devices/{id}/webhooks${path}`,
    summary,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of the whole path are those of `path`, and the device
    run: (call) => run(call as unknown as AnyScopeCall<Path, Body, Query>),
  });
  const account = operation<string, Body, Query, Answer>({
    ...rest,
    tag: 'Webhooks',
    id: ofAccount,
    path: `/webhooks${path}`,
    summary: `${summary} (account-wide)`,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of the whole path are those of `path`
    run: (call) => run({ ...call, deviceId: null } as unknown as AnyScopeCall<Path, Body, Query>),
  });
  return [device, account];
};

interface Scope {
  readonly parts: Call<string, TSchema, TSchema>['parts'];
  readonly caller: Call<string, TSchema, TSchema>['caller'];
  readonly deviceId: number | null;
}

/** Null: the device's own webhook, `primary`. Throws NotFound. */
export const webhookIn = async (
  { parts, caller, deviceId }: Scope,
  name: string,
): Promise<AdditionalWebhook | null> => {
  if (name === 'primary' && deviceId !== null) return null;
  const id = webhookIdOf(name);
  const webhook = id === null ? null : await parts.stores.webhooks.additional.find(caller.user.id, deviceId, id);
  if (webhook === null) throw notFound('Webhook');
  return webhook;
};
