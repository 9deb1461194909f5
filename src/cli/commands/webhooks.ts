/** `handset webhook …`, and `handset delivery list`, `show` and `replay`: what was posted to a webhook, and the answers. */
import { CommandError, usageError, type Things } from '../../mcp/client.ts';
import {
  type Command,
  deviceId,
  eventOption,
  listOption,
  positional,
  type Arguments,
  flagOption,
  textsOption,
} from '../command/command.ts';
import { callCommand, listed } from '../command/generic.ts';
import { eventKinds } from '../../domain/event.ts';
import { fields } from '../terminal/output.ts';

const webhookSet = callCommand('updateDevice', {
  words: 'webhook set',
  summary: 'Set the URL that a device posts its events to ("none" removes it)',
  positionals: ['device', 'url'],
  options: eventOption,
  body(given) {
    const url = positional(given, 1);
    return { webhookUrl: url === 'none' ? null : url, webhookEvents: listOption(given, 'event') };
  },
  done(_, given) {
    const [id, url] = [deviceId(given), positional(given, 1)];
    return [url === 'none' ? `Device ${id} posts no events` : `Device ${id} posts its events to ${url}`];
  },
});

type Webhook = Things['AdditionalWebhook'];

const chatsText = (chats: Webhook['chats']): string => {
  if (chats === null) return 'all';
  return 'only' in chats ? `only ${chats.only.join(', ')}` : `all but ${chats.except.join(', ')}`;
};

const healthText = ({ id, health, failingSince, disabledAt }: Webhook): string => {
  const again = id === 'primary' ? '"handset webhook set"' : '"handset webhook update … --enabled on"';
  if (disabledAt !== null) return `stopped at ${disabledAt} by an answer of 410: ${again} starts it`;
  return failingSince === null ? health : `${health} since ${failingSince}`;
};

const shown = (webhook: Webhook): readonly (readonly [string, string | null])[] => [
  ['Webhook', webhook.id],
  ['URL', webhook.url],
  ['Events', webhook.events.join(', ')],
  ['Chats', chatsText(webhook.chats)],
  ['Headers', webhook.headerNames.join(', ') || null],
  ['In order', webhook.ordered ? 'yes' : 'no'],
  ['Settles after', webhook.settleSeconds === null ? null : `${webhook.settleSeconds} s`],
  ['Health', healthText(webhook)],
  ['Last success', webhook.lastSuccessAt],
];

const headersIn = (given: Arguments): Record<string, string> | undefined => {
  const lines = textsOption(given, 'header');
  if (lines === undefined) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) throw usageError(`--header is "name: value"; "${line}" is not`);
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
};

const chatsIn = (given: Arguments): object | null | undefined => {
  const only = textsOption(given, 'only');
  const except = textsOption(given, 'except');
  if (flagOption(given, 'all-chats')) return null;
  return only === undefined && except === undefined ? undefined : { only, except };
};

const chatOptions = {
  only: {
    type: 'string',
    multiple: true,
    help: 'post events of this chat only (number or JID); any number of them',
  },
  except: {
    type: 'string',
    multiple: true,
    help: 'post no events of this chat (number or JID); any number of them',
  },
  header: { type: 'string', multiple: true, help: '"name: value" sent with each post; any number of them' },
} as const;

const chatsAndHeaders = (given: Arguments) => ({ chats: chatsIn(given), headers: headersIn(given) });

const kindsIn = (events: readonly string[]): string =>
  events.length === eventKinds.length && eventKinds.every((kind) => events.includes(kind)) ? 'all' : events.join(',');

const webhookList = callCommand('listWebhooks', {
  summary: 'List the webhooks of a device, or with "all" those of all devices, newest first',
  value: ({ webhooks }: { readonly webhooks: readonly Webhook[] }) => webhooks.toReversed(),
  done: ({ webhooks }) =>
    listed(webhooks.toReversed(), 'No webhooks', {
      WEBHOOK: ({ id }) => id,
      HEALTH: ({ health }) => health,
      URL: ({ url }) => url,
      EVENTS: ({ events }) => kindsIn(events),
    }),
});

interface OneWebhook {
  readonly webhook: Webhook;
}

const webhookShow = callCommand('getAdditionalWebhook', {
  summary: 'Show a webhook and its health',
  value: ({ webhook }: OneWebhook) => webhook,
  done: ({ webhook }) => fields(shown(webhook)),
});

const webhookAdd = callCommand('createWebhook', {
  summary: 'Add a webhook to a device, or with "all" to all devices',
  options: chatOptions,
  more(given) {
    if (textsOption(given, 'event') === undefined)
      throw usageError('--event is missing: the kinds to post, as --event message.received');
    return chatsAndHeaders(given);
  },
  done: ({ webhook, secret }: OneWebhook & { readonly secret: string }) =>
    fields([...shown(webhook), ['Secret', secret]]),
});

const webhookUpdate = callCommand('updateWebhook', {
  summary: 'Change a webhook: what is not named stays',
  options: {
    ...chatOptions,
    'all-chats': { type: 'boolean', help: 'post events of all chats again' },
  },
  more: chatsAndHeaders,
  value: ({ webhook }: OneWebhook) => webhook,
  done: ({ webhook }) => fields(shown(webhook)),
});

const webhookDelete = callCommand('deleteWebhook', {
  summary: 'Delete a webhook with its deliveries',
  destroys: 'this deletes the webhook for good',
  done: (_, given) => [`Webhook ${positional(given, 1)} deleted`],
});

type Test = Things['WebhookTest'];

const webhookTest = callCommand('testAdditionalWebhook', {
  value: ({ test }: { readonly test: Test }) => test,
  done({ test }) {
    if (!test.delivered) throw new CommandError(`Not delivered: ${test.error ?? `the answer was ${test.status}`}`);
    return [`Delivered: ${test.status} in ${test.durationMs} ms`];
  },
});

const webhookSecret = callCommand('rotateAdditionalWebhookSecret', {
  summary: 'Show the secret of a webhook, or make a new one',
  otherwise: 'getAdditionalWebhook',
  options: { rotate: { type: 'boolean', help: 'make a new secret; the former one signs as well for 24 hours' } },
  value: ({ secret }: { readonly secret: string }) => ({ secret }),
  done: ({ secret }) => [secret],
});

export const webhookCommands: readonly Command[] = [
  webhookList,
  webhookShow,
  webhookSet,
  webhookAdd,
  webhookUpdate,
  webhookDelete,
  webhookTest,
  webhookSecret,
];

type Delivery = Things['Delivery'];

type Attempt = Things['Attempt'];

const numberText = (value: number | null): string => (value === null ? '' : String(value));

const deliveriesList = callCommand('listWebhookDeliveries', {
  summary: 'List the deliveries of a webhook, newest first ("primary": the device’s own)',
  value: ({ deliveries }: { readonly deliveries: readonly Delivery[] }) => deliveries,
  done: ({ deliveries }, given) =>
    listed(deliveries, 'No deliveries', {
      DELIVERY: ({ id }) => id,
      ...(positional(given, 0) === 'all' && { DEVICE: (delivery: Delivery) => String(delivery.deviceId) }),
      STATE: ({ state }) => state,
      STATUS: ({ lastStatus }) => numberText(lastStatus),
      ATTEMPTS: ({ attempts }) => String(attempts),
      EVENT: ({ eventType }) => eventType,
      CREATED: ({ createdAt }) => createdAt,
    }),
});

const headersText = ({ at, headers }: Attempt): string =>
  headers === null
    ? ''
    : `\n\nHeaders of ${at}:\n${Object.entries(headers)
        .map(([name, value]) => `  ${name}: ${value}`)
        .join('\n')}`;

const deliveriesShow = callCommand('listWebhookAttempts', {
  summary: 'Show the attempts of a delivery, newest first',
  value: ({ attempts }: { readonly attempts: readonly Attempt[] }) => attempts,
  done: ({ attempts }) => [
    ...listed(attempts, 'No attempts yet', {
      AT: ({ at }) => at,
      STATUS: ({ status }) => numberText(status),
      MS: ({ ms }) => numberText(ms),
      ANSWER: ({ error, answer }) => error ?? answer,
    }),
    ...attempts.map(headersText),
  ],
});

const deliveriesReplay = callCommand('retryWebhookDelivery', {
  summary: 'Post a delivery again, or all that have failed',
  done: ({ status }: { readonly status: { readonly message: string } }, given) => [
    status.message.replace('Delivery', `Delivery ${positional(given, 2)}`),
  ],
});

export const deliveryCommands: readonly Command[] = [deliveriesList, deliveriesShow, deliveriesReplay];
