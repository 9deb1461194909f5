/** `handset webhook …`. */
import {
  type Command,
  deviceId,
  positional,
  type Arguments,
  flagOption,
  switchOption,
  textOption,
  textsOption,
} from '../command/command.ts';
import { eventKinds } from '../../domain/event.ts';
import { CommandError, usageError } from '../client/failure.ts';
import { fields, table } from '../terminal/output.ts';

const webhookSet: Command = {
  words: 'webhook set',
  summary: 'Set the URL that a device posts its events to ("none" removes it)',
  positionals: ['device', 'url'],
  options: { event: { type: 'string', multiple: true, help: 'a kind of events to post; any number of them' } },
  async run({ client, out }, given) {
    const id = deviceId(given);
    const url = positional(given, 1);
    const body = { webhookUrl: url === 'none' ? null : url, webhookEvents: given.values['event'] };
    out.value(await client().call('PUT', `/devices/${id}`, body));
    out.line(url === 'none' ? `Device ${id} posts no events` : `Device ${id} posts its events to ${url}`);
  },
};

interface Webhook {
  readonly id: string;
  readonly url: string | null;
  readonly events: readonly string[];
  readonly chats: { readonly only: readonly string[] } | { readonly except: readonly string[] } | null;
  readonly headerNames: readonly string[];
  readonly ordered: boolean;
  readonly settleSeconds: number | null;
  readonly health: string;
  readonly failingSince: string | null;
  readonly disabledAt: string | null;
  readonly lastSuccessAt: string | null;
}

const webhooksPath = (given: Arguments): string =>
  positional(given, 0) === 'all' ? '/webhooks' : `/devices/${deviceId(given)}/webhooks`;

export const webhookPath = (given: Arguments): string =>
  `${webhooksPath(given)}/${encodeURIComponent(positional(given, 1))}`;

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

const settingOptions = {
  event: { type: 'string', multiple: true, help: 'a kind of events to post; any number of them' },
  only: {
    type: 'string',
    multiple: true,
    help: 'number or JID of a chat whose events alone are posted; any number of them',
  },
  except: {
    type: 'string',
    multiple: true,
    help: 'number or JID of a chat whose events are not posted; any number of them',
  },
  header: { type: 'string', multiple: true, help: '"name: value" sent with each post; any number of them' },
  ordered: { type: 'string', help: 'off: no event waits for an earlier one of its chat' },
  enabled: { type: 'string', help: 'off: nothing is posted' },
  settle: { type: 'string', help: 'seconds without writing after which chat.settled is posted, 1 to 60' },
} as const;

const settingsIn = (given: Arguments): Record<string, unknown> => {
  const settle = textOption(given, 'settle');
  return {
    events: textsOption(given, 'event'),
    chats: chatsIn(given),
    headers: headersIn(given),
    ordered: switchOption(given, 'ordered'),
    enabled: switchOption(given, 'enabled'),
    settleSeconds: settle === undefined ? undefined : Number(settle),
  };
};

/** Event kinds in one cell; `all` for the default set. */
const kindsIn = (events: readonly string[]): string =>
  events.length === eventKinds.length && eventKinds.every((kind) => events.includes(kind)) ? 'all' : events.join(',');

const webhookList: Command = {
  words: 'webhook list',
  summary: 'List the webhooks of a device, or with "all" those of all devices',
  positionals: ['device'],
  async run({ client, out }, given) {
    const { webhooks } = await client().call<{ webhooks: readonly Webhook[] }>('GET', webhooksPath(given));
    out.value(webhooks);
    const rows = webhooks.map(({ id, health, url, events }) => [id, health, url ?? '', kindsIn(events)]);
    out.line(...(rows.length === 0 ? ['No webhooks'] : table(['WEBHOOK', 'HEALTH', 'URL', 'EVENTS'], rows)));
  },
};

const webhookShow: Command = {
  words: 'webhook show',
  summary: 'Show a webhook and its health',
  positionals: ['device', 'webhook'],
  async run({ client, out }, given) {
    const { webhook } = await client().call<{ webhook: Webhook }>('GET', webhookPath(given));
    out.value(webhook);
    out.line(...fields(shown(webhook)));
  },
};

const webhookAdd: Command = {
  words: 'webhook add',
  summary: 'Add a webhook to a device, or with "all" to all devices',
  positionals: ['device', 'url'],
  options: settingOptions,
  async run({ client, out }, given) {
    const settings = settingsIn(given);
    if (settings['events'] === undefined) throw usageError('name the kinds to post, as --event message.received');
    const body = { url: positional(given, 1), ...settings };
    const made = await client().call<{ webhook: Webhook; secret: string }>('POST', webhooksPath(given), body);
    out.value(made);
    out.line(...fields([...shown(made.webhook), ['Secret', made.secret]]));
  },
};

const webhookUpdate: Command = {
  words: 'webhook update',
  summary: 'Change a webhook: what is not named stays',
  positionals: ['device', 'webhook'],
  options: {
    url: { type: 'string', help: 'where to post' },
    ...settingOptions,
    'all-chats': { type: 'boolean', help: 'post events of all chats again' },
  },
  async run({ client, out }, given) {
    const body = { url: textOption(given, 'url'), ...settingsIn(given) };
    const { webhook } = await client().call<{ webhook: Webhook }>('PUT', webhookPath(given), body);
    out.value(webhook);
    out.line(...fields(shown(webhook)));
  },
};

const webhookDelete: Command = {
  words: 'webhook delete',
  summary: 'Delete a webhook with its deliveries',
  positionals: ['device', 'webhook'],
  options: { yes: { type: 'boolean', short: 'y', help: 'confirm: this cannot be undone' } },
  async run({ client, out }, given) {
    if (!flagOption(given, 'yes')) throw usageError('this deletes the webhook for good; add --yes to do it');
    out.value(await client().call('DELETE', webhookPath(given)));
    out.line(`Webhook ${positional(given, 1)} deleted`);
  },
};

interface Test {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

const webhookTest: Command = {
  words: 'webhook test',
  summary: 'Post a signed test event to a webhook',
  positionals: ['device', 'webhook'],
  async run({ client, out }, given) {
    const { test } = await client().call<{ test: Test }>('POST', `${webhookPath(given)}/test`);
    out.value(test);
    if (!test.delivered) throw new CommandError(`Not delivered: ${test.error ?? `the answer was ${test.status}`}`);
    out.line(`Delivered: ${test.status} in ${test.durationMs} ms`);
  },
};

const webhookSecret: Command = {
  words: 'webhook secret',
  summary: 'Show the secret of a webhook, or make a new one',
  positionals: ['device', 'webhook'],
  options: { rotate: { type: 'boolean', help: 'make a new secret; the former one signs as well for 24 hours' } },
  async run({ client, out }, given) {
    const rotate = flagOption(given, 'rotate');
    const path = `${webhookPath(given)}${rotate ? '/rotate-secret' : ''}`;
    const { secret } = await client().call<{ secret: string }>(rotate ? 'POST' : 'GET', path);
    out.value({ secret });
    out.line(secret);
  },
};

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
