/** `handset phone …`: the phones of the sandbox (docs/sandbox.md). */
import { type Client, CommandError } from '../../mcp/client.ts';
import { plainNumber } from '../../domain/typed-number.ts';
import {
  type Arguments,
  type Command,
  positional,
  deviceId,
  type Context,
  flagOption,
  textOption,
} from '../command/command.ts';
import { table } from '../terminal/output.ts';
import { deviceOf, sessionOf } from '../command/pairing.ts';
import { paint } from '../terminal/paint.ts';

interface Phone {
  readonly number: string;
  readonly name: string;
  readonly linkedDevices: readonly { readonly device: number }[];
}

interface PhoneMessage {
  readonly seq: number;
  readonly id: string;
  readonly from: string;
  readonly fromMe: boolean;
  readonly timestamp: string;
  readonly type: string;
  readonly text: string | null;
  readonly image: { readonly width: number; readonly height: number; readonly caption: string | null } | null;
  readonly state: string;
}

/** Throws CommandError if the service has no sandbox. */
const askPhones = async <T>(phones: Client, method: string, path: string, body?: unknown): Promise<T> => {
  try {
    return await phones.call<T>(method, path, body);
  } catch (error) {
    if (error instanceof CommandError && error.message === 'Route not found') {
      throw new CommandError('this service is on the real network; phones exist only with "handset start --sandbox"');
    }
    throw error;
  }
};

const phonePath = (given: Arguments): string => `/phones/${encodeURIComponent(plainNumber(positional(given, 0)))}`;

const phoneAdd: Command = {
  words: 'phone add',
  summary: 'Add a phone to the sandbox',
  positionals: ['number', 'name?'],
  async run({ phones, out }, given) {
    const number = plainNumber(positional(given, 0));
    const body = { number, name: given.positionals[1] };
    const { phone } = await askPhones<{ phone: Phone }>(phones(), 'POST', '/phones', body);
    out.value(phone);
    out.line(`${phone.name} has the number ${phone.number}`);
  },
};

interface Named {
  readonly phone: { readonly username: string | null; readonly usernameKey: string | null };
}

const phoneUsername: Command = {
  words: 'phone username',
  summary: 'Give a sandbox phone a username ("" takes it away)',
  positionals: ['number', 'username'],
  options: {
    key: { type: 'string', help: '4 digits that people have to give with the name' },
    'hide-number': { type: 'boolean', help: 'others no longer see its number' },
  },
  async run({ phones, out }, given) {
    const key = textOption(given, 'key');
    const body = {
      username: positional(given, 1) || null,
      ...(key !== undefined && { usernameKey: key }),
      ...(flagOption(given, 'hide-number') && { hidesNumber: true }),
    };
    const { phone } = await askPhones<Named>(phones(), 'PATCH', phonePath(given), body);
    out.value(phone);
    out.line(phone.username === null ? 'The phone has no username' : `The phone has the username @${phone.username}`);
  },
};

const phoneList: Command = {
  words: 'phone list',
  summary: 'List the phones of the sandbox',
  positionals: [],
  async run({ phones, out }) {
    const { phones: all } = await askPhones<{ phones: readonly Phone[] }>(phones(), 'GET', '/phones');
    out.value(all);
    if (all.length === 0) {
      out.line('No phones yet: add one with "handset phone add"');
      return;
    }
    const rows = all.map(({ number, name, linkedDevices }) => [number, String(linkedDevices.length), name]);
    out.line(...table(['NUMBER', 'LINKED DEVICES', 'NAME'], rows));
  },
};

const phoneScan: Command = {
  words: 'phone scan',
  summary: 'Scan the QR of a device, or enter its code, with a sandbox phone',
  positionals: ['number', 'device'],
  async run({ client, phones, out }, given) {
    const number = plainNumber(positional(given, 0));
    const id = deviceId(given, 1);
    const { pairingCode: code, phoneNumber } = await sessionOf(client(), id);
    const { qr } = await deviceOf(client(), id);
    if (phoneNumber !== null) throw new CommandError(`device ${id} is linked already, to ${phoneNumber}`);
    if (code === null && qr === null) {
      throw new CommandError(
        `device ${id} is not waiting to be linked; start a pairing with "handset device restart ${id}"`,
      );
    }
    using _ = out.progress('Linking');
    const path = phonePath(given);
    const linked =
      code === null
        ? await askPhones(phones(), 'POST', `${path}/scan`, { qr })
        : await askPhones(phones(), 'POST', `${path}/link-code`, { code });
    out.value(linked);
    out.line(paint('good', `Device ${id} is linked to ${number}`));
  },
};

const phoneWrite: Command = {
  words: 'phone write',
  summary: 'Send a text from a sandbox phone',
  positionals: ['number', 'to', 'message'],
  async run({ phones, out }, given) {
    const body = { to: plainNumber(positional(given, 1)), text: positional(given, 2) };
    const path = `${phonePath(given)}/messages`;
    const written = await askPhones<{ messageIds: readonly string[] }>(phones(), 'POST', path, body);
    out.value(written);
    out.line(`Written: ${written.messageIds.join(', ')}`);
  },
};

const waitMs = 20_000;
const firstMs = 3000;

const textOf = ({ image, text, type }: PhoneMessage): string =>
  image === null ? (text ?? `(${type})`) : `(image, ${image.width} × ${image.height}) ${image.caption ?? ''}`.trimEnd();

const print = ({ out }: Context, message: PhoneMessage): void => {
  out.value(message);
  const who = message.fromMe ? 'this phone' : message.from.split('@')[0]!;
  out.line(paint('faint', message.timestamp), `  ${who}: `, textOf(message));
};

const phoneMessages: Command = {
  words: 'phone messages',
  summary: 'Print the messages of a sandbox phone',
  positionals: ['number'],
  options: { follow: { type: 'boolean', short: 'f', help: 'follow new messages until Ctrl-C' } },
  async run(context, given) {
    const path = `${phonePath(given)}/messages`;
    const read = async (after: number, query = ''): Promise<number> => {
      const { messages } = await askPhones<{ messages: readonly PhoneMessage[] }>(
        context.phones(),
        'GET',
        `${path}?after=${after}${query}`,
      );
      for (const message of messages) print(context, message);
      return messages.at(-1)?.seq ?? after;
    };
    // A message sent a moment ago may still be on its way.
    let last = await read(0, `&waitMs=${firstMs}`);
    if (last === 0) context.out.line('No messages yet');
    while (flagOption(given, 'follow')) last = await read(last, `&waitMs=${waitMs}`);
  },
};

export const phoneCommands: readonly Command[] = [
  phoneAdd,
  phoneList,
  phoneUsername,
  phoneScan,
  phoneWrite,
  phoneMessages,
];
