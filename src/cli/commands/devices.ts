/** `handset device create`, `list`, `show`, `rename`, `start`, `stop`, `disconnect` and `delete`. */
import { type Client, idempotencyHeader, type Answer, type Device, type Things } from '../../mcp/client.ts';
import { allOf } from '../client/client.ts';
import {
  type Arguments,
  type Command,
  deviceId,
  eventOption,
  flagOption,
  listOption,
  numberOption,
  positional,
  proxyHelp,
  proxyOf,
  textOption,
} from '../command/command.ts';
import { allDevices } from '../command/operator.ts';
import { callCommand } from '../command/generic.ts';
import { valueOf } from '../command/members.ts';
import { table, fields } from '../terminal/output.ts';
import { paint, painted } from '../terminal/paint.ts';
import {
  deviceOf,
  sessionOf,
  showQr,
  spacedCode,
  waitForLink,
  waitForOpen,
  waitOption,
  wantsWait,
} from '../command/pairing.ts';

type Created = Answer<'createDevice'>;

const onceOf = (given: Arguments) => idempotencyHeader(textOption(given, 'idempotency-key'));

const historyWords = 'none|recent|full';

const deviceCreate: Command = {
  words: 'device create',
  summary: 'Create a device and show its QR',
  positionals: [],
  options: {
    name: { type: 'string', help: 'name of the device' },
    'webhook-url': { type: 'string', help: 'URL that receives its events' },
    ...eventOption,
    'phone-number': { type: 'string', help: 'pair with a code for this number instead of the QR' },
    history: { type: 'string', value: historyWords, help: 'messages to load from the phone; none by default' },
    proxy: { type: 'string', help: proxyHelp },
    'idempotency-key': { type: 'string', help: 'make only one device, however often the command runs with this key' },
    ...waitOption,
  },
  async run(context, given) {
    const { client, out } = context;
    const body = {
      name: textOption(given, 'name'),
      webhookUrl: textOption(given, 'webhook-url'),
      webhookEvents: listOption(given, 'event'),
      phoneNumber: numberOption(given, 'phone-number'),
      proxy: await proxyOf(context, given),
    };
    const wanted = textOption(given, 'history');
    const history = wanted && valueOf(historyWords, '--history', wanted);
    const { device, pairingCode } = await client().call<Created>('POST', '/devices', body, onceOf(given));
    // Before the pairing, which applies it.
    if (history !== undefined) await client().call('PUT', `/devices/${device.id}/settings`, { history });
    out.line(`Device ${device.id} created`);
    out.value({ device, ...(pairingCode === undefined ? {} : { pairingCode }) });
    if (typeof pairingCode === 'string') out.line('Pairing code: ', paint('strong', spacedCode(pairingCode)));
    else if (!out.json) await showQr(context, device.id);
    if (!wantsWait(context, given)) return;
    const linked = await waitForLink(context, device.id, device);
    out.line(paint('good', `Device ${device.id} is connected`));
    out.value({ device: linked });
  },
};

type Account = Things['LinkedAccount'];

const numbersOf = async (client: Client): Promise<ReadonlyMap<number, string>> => {
  const accounts = await allOf<Account>(client, 'accounts');
  return new Map(accounts.map((account) => [account.deviceId, account.phoneNumber]));
};

const deviceList: Command = {
  words: 'device list',
  summary: 'List your devices, newest first',
  positionals: [],
  options: { all: { type: 'boolean', help: 'devices of all users (operator; needs HANDSET_ADMIN_TOKEN)' } },
  async run({ client, admin, out }, given) {
    if (flagOption(given, 'all')) {
      const all = (await allDevices(admin())).toReversed();
      out.value(all);
      const cells = all.map((device) => [
        String(device.id),
        String(device.userId),
        painted(device.status),
        device.subscription_status,
        String(device.messagesSent),
        device.name,
      ]);
      out.line(...table(['ID', 'USER', 'STATUS', 'SUBSCRIPTION', 'SENT', 'NAME'], cells));
      return;
    }
    const answer = await client().call<{ devices: readonly Device[] }>('GET', '/devices');
    const devices = answer.devices.toReversed();
    out.value(devices);
    if (devices.length === 0) {
      out.line('No devices yet: create one with "handset device create"');
      return;
    }
    const numbers = await numbersOf(client());
    const rows = devices.map((device) => [
      String(device.id),
      painted(device.status),
      device.subscription_status,
      numbers.get(device.id) ?? '',
      String(device.messagesSent),
      device.webhookUrl === null ? 'no' : 'yes',
      device.name,
    ]);
    out.line(...table(['ID', 'STATUS', 'SUBSCRIPTION', 'NUMBER', 'SENT', 'WEBHOOK', 'NAME'], rows));
  },
};

const deviceShow: Command = {
  words: 'device show',
  summary: 'Show a device and its session',
  positionals: ['device'],
  options: { wait: { type: 'boolean', help: 'wait until its session is open' } },
  async run(context, given) {
    const { client, out } = context;
    const id = deviceId(given);
    const session = flagOption(given, 'wait') ? await waitForOpen(context, id) : await sessionOf(client(), id);
    const device = await deviceOf(client(), id);
    out.value({ device, session });
    out.line(
      ...fields([
        ['Device', device.id],
        ['Name', device.name],
        ['Status', painted(device.status)],
        ['Session', painted(session.state)],
        ['Reason', session.reason],
        ['Account', session.phoneNumber],
        ['Pairing code', session.pairingCode === null ? null : spacedCode(session.pairingCode)],
        ['Subscription', device.subscription_status],
        ['Messages sent', device.messagesSent],
        ['Webhook', device.webhookUrl],
        ['Last seen', session.lastSeenAt],
        ['Created', device.createdAt],
      ]),
    );
  },
};

const deviceRename = callCommand('updateDevice', {
  summary: 'Give a device another name',
  body: (given) => ({ name: positional(given, 1) }),
  done: (_, given) => [`Device ${deviceId(given)} is called ${positional(given, 1)}`],
});

const deviceDisconnect = callCommand('disconnectDevice', {
  summary: 'Log the account out; the device stays and can be paired again',
  done: (_, given) => [`Device ${deviceId(given)} disconnected`],
});

const change = (words: string, summary: string, status: 'active' | 'inactive', done: string): Command =>
  callCommand('updateDevice', {
    words,
    summary,
    positionals: ['device'],
    operator: 'admin',
    body: () => ({ subscription_status: status }),
    done: (_, given) => [`Device ${deviceId(given)} ${done}`],
  });

const deviceStop = change('device stop', 'Stop a device; its link survives for 30 days', 'inactive', 'stopped');
const deviceStart = change('device start', 'Start a stopped device again', 'active', 'started');

const deviceDelete = callCommand('deleteDevice', {
  summary: 'Delete a device with its messages and events',
  operator: 'admin',
  destroys: 'this deletes the device for good',
  done: (_, given) => [`Device ${deviceId(given)} deleted`],
});

export const deviceCommands: readonly Command[] = [
  deviceCreate,
  deviceList,
  deviceShow,
  deviceRename,
  deviceDisconnect,
  deviceStop,
  deviceStart,
  deviceDelete,
];
