/** Operations on webhooks of a device (`/devices/{id}/webhooks`) and account-wide ones (`/webhooks`), written once for both. */
import type { TSchema } from 'typebox';
import type { FastifyReply } from 'fastify';
import type { AnswerOf, DeclarationOf, WebhookDeclarations } from '../../contract/operation.ts';
import { bind, type Call, type Exactly, type Operation } from '../wire/operation.ts';
import { type Webhook, webhookIdOf } from '../../domain/webhooks/webhook.ts';
import { notFound } from '../../errors.ts';

type WebhookCall<Path extends string, Body extends TSchema, Query extends TSchema> = Omit<
  Call<Path, Body, Query>,
  'deviceId'
> & {
  readonly deviceId: number | null;
};

/** Binds one function to the operation on a device's webhook, an account-wide one and the primary one. */
export const handleWebhooks = <
  Path extends string,
  Body extends TSchema,
  Query extends TSchema,
  Answer extends TSchema,
  Given extends AnswerOf<Answer> | FastifyReply,
>(
  { device, account, primary }: WebhookDeclarations<Path, Body, Query, Answer>,
  run: (call: WebhookCall<Path, Body, Query>) => Promise<Given>,
  ..._exactly: Exactly<Given, AnswerOf<Answer>>
): readonly Operation[] => {
  const made = (declaration: DeclarationOf<string, Body, Query, Answer>, scope: object, params: object): Operation =>
    bind(declaration, (call) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of the whole path are those of `Path`
      run({ ...call, ...scope, params: { ...call.params, ...params } } as unknown as WebhookCall<Path, Body, Query>),
    );
  return [
    made(device, {}, {}),
    made(account, { deviceId: null }, {}),
    ...(primary === null ? [] : [made(primary, {}, primaryParams)]),
  ];
};

const primaryParams = { webhookId: 'primary' };

export const webhookIn = async (
  { services, caller, deviceId }: Pick<WebhookCall<string, TSchema, TSchema>, 'services' | 'caller' | 'deviceId'>,
  name: string,
): Promise<Webhook> => {
  const { webhooks } = services.stores;
  if (name === 'primary' && deviceId !== null) return webhooks.primary(deviceId);
  const id = webhookIdOf(name);
  const webhook = id === null ? null : await webhooks.find(caller.user.id, deviceId, id);
  if (webhook === null || webhook.isPrimary) throw notFound('Webhook');
  return webhook;
};
