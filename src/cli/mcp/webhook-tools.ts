/** MCP tools for webhooks: list, create, change, test and delete, and their deliveries. */
import { z } from 'zod';
import { allKinds } from '../../domain/event.ts';
import {
  acts,
  addTool,
  cursor,
  destroys,
  limit,
  nextCursor,
  pageOf,
  queryOf,
  reads,
  sets,
  status,
  type Tools,
} from './tool.ts';

const device = z
  .number()
  .int()
  .positive()
  .optional()
  .describe('Id of the device, as list_devices shows it; left out: the webhooks of all devices');

const webhook = z.string().min(1).describe('whk_…, or primary: the one that is set on the device itself');

const chats = z.array(z.string()).optional();

const pathOf = (id: number | undefined): string => (id === undefined ? '/webhooks' : `/devices/${id}/webhooks`);

const oneOf = (given: { readonly device?: number | undefined; readonly webhook: string }): string =>
  `${pathOf(given.device)}/${encodeURIComponent(given.webhook)}`;

const webhookView = z.object({
  id: z.string(),
  deviceId: z.number().nullable(),
  url: z.string().nullable(),
  events: z.array(z.string()),
  chats: z.record(z.string(), z.array(z.string())).nullable(),
  enabled: z.boolean(),
  settleSeconds: z.number().nullable(),
  health: z.string(),
  failingSince: z.string().nullable(),
  lastSuccessAt: z.string().nullable(),
});

const settings = {
  events: z.array(z.enum(allKinds)).min(1).describe('Kinds of events to post'),
  only: chats.describe('Numbers or JIDs of the chats whose events alone are posted'),
  except: chats.describe('Numbers or JIDs of chats whose events are not posted'),
  settleSeconds: z
    .number()
    .int()
    .min(1)
    .max(60)
    .optional()
    .describe('For chat.settled: seconds without writing after which it is posted'),
};

interface Filter {
  readonly only?: readonly string[] | undefined;
  readonly except?: readonly string[] | undefined;
}

const bodyOf = ({ only, except, ...rest }: Filter & object): object =>
  only === undefined && except === undefined ? rest : { ...rest, chats: { only, except } };

const delivery = z.object({
  id: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  state: z.string(),
  attempts: z.number(),
  createdAt: z.string(),
  nextAttemptAt: z.string().nullable(),
  lastStatus: z.number().nullable(),
  lastError: z.string().nullable(),
});

const registerReading = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'list_webhooks',
    title: 'List webhooks',
    description: 'Webhooks with what they get and their health; "primary" is the device’s own',
    input: z.object({ device, limit: limit.default(10), cursor }),
    output: z.object({ webhooks: z.array(webhookView), nextCursor }),
    hints: reads,
    run: async (given) => {
      const answer = await client.call<{ webhooks: readonly { id: string }[] }>('GET', pathOf(given.device));
      const { page, nextCursor: next } = pageOf(answer.webhooks, ({ id }) => id, given.limit, given.cursor);
      return { webhooks: page, nextCursor: next };
    },
  });
  addTool(tools, {
    name: 'list_deliveries',
    title: 'List deliveries',
    description: 'What was posted to a webhook, newest first: the state, the attempts and the last answer',
    input: z.object({ device, webhook, state: z.enum(['pending', 'delivered', 'failed']).optional(), limit, cursor }),
    output: z.object({ deliveries: z.array(delivery), nextCursor }),
    hints: reads,
    run: ({ device: id, webhook: which, ...filter }) =>
      client.call('GET', `${oneOf({ device: id, webhook: which })}/deliveries${queryOf(filter)}`),
  });
};

const registerMaking = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'create_webhook',
    title: 'Create a webhook',
    description: 'Posts events to a URL from now on. The answer has the secret that signs the posts',
    input: z.object({ device, url: z.string().describe('https:// or http://'), ...settings }),
    output: z.object({ webhook: webhookView, secret: z.string() }),
    hints: acts,
    run: ({ device: id, ...rest }) => client.call('POST', pathOf(id), bodyOf(rest)),
  });
  addTool(tools, {
    name: 'update_webhook',
    title: 'Change a webhook',
    description: 'Changes where a webhook posts and what, or turns it off and on; what is left out stays',
    input: z.object({
      device,
      webhook,
      url: z.string().optional(),
      enabled: z.boolean().optional(),
      ...settings,
      events: settings.events.optional(),
    }),
    output: z.object({ webhook: webhookView }),
    hints: sets,
    run: ({ device: id, webhook: which, ...rest }) =>
      client.call('PUT', oneOf({ device: id, webhook: which }), bodyOf(rest)),
  });
};

const registerActs = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'test_webhook',
    title: 'Test a webhook',
    description: 'Posts a signed test event to a webhook and says what the endpoint answered',
    input: z.object({ device, webhook }),
    output: z.object({
      test: z.looseObject({ delivered: z.boolean(), status: z.number().nullable(), error: z.string().nullable() }),
    }),
    hints: acts,
    run: (given) => client.call('POST', `${oneOf(given)}/test`),
  });
  addTool(tools, {
    name: 'retry_deliveries',
    title: 'Deliver again',
    description: 'Posts one delivery of a webhook again, or all that failed',
    input: z.object({
      device,
      webhook,
      delivery: z.string().optional().describe('dlv_…; left out: all that failed'),
    }),
    output: z.object({ status }),
    hints: acts,
    run: ({ delivery: id, ...given }) =>
      client.call(
        'POST',
        `${oneOf(given)}/deliveries${id === undefined ? '' : `/${encodeURIComponent(id)}`}/retry`,
        id === undefined ? {} : undefined,
      ),
  });
  addTool(tools, {
    name: 'delete_webhook',
    title: 'Delete a webhook',
    description: 'Deletes a webhook with its secret and what waits to be posted to it',
    input: z.object({ device, webhook }),
    output: z.object({ status }),
    hints: destroys,
    run: (given) => client.call('DELETE', oneOf(given)),
  });
};

export const registerWebhookTools = (tools: Tools): void => {
  registerReading(tools);
  registerMaking(tools);
  registerActs(tools);
};
