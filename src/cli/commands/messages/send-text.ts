/** `handset send text`. */
import { type Command, deviceId, flagOption, positional, textOption } from '../../command.ts';
import { recipientOf } from '../../recipient.ts';

export const idempotencyOption = { 'idempotency-key': { type: 'string' } } as const;
export const idempotencyHelp = {
  'idempotency-key': 'send only once, however often the command runs with this key',
};

export const idempotencyHeader = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'idempotency-key': key };

export const sendText: Command = {
  words: 'send text',
  summary: 'Send a text message ("-" reads standard input)',
  positionals: ['device', 'to', 'message'],
  options: { 'link-preview': { type: 'boolean' }, ...idempotencyOption },
  optionHelp: { 'link-preview': 'with a preview of the first link', ...idempotencyHelp },
  async run({ client, out, readInput }, given) {
    const id = deviceId(given);
    const text = positional(given, 2);
    const message = text === '-' ? (await readInput()).toString('utf8').replace(/\n$/, '') : text;
    const preview = flagOption(given, 'link-preview') ? { linkPreview: true } : {};
    const body = { ...recipientOf(positional(given, 1)), message, ...preview };
    const headers = idempotencyHeader(textOption(given, 'idempotency-key'));
    using _ = out.progress('Sending');
    const sent = await client().call<{ messageId: string }>('POST', `/devices/${id}/messages/text`, body, headers);
    out.line(`Sent: ${sent.messageId}`);
    out.value(sent);
  },
};
