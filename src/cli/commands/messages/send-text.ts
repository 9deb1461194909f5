/** `handset send text`. */
import { type Command, deviceId, flagOption, positional, textOption } from '../../command.ts';
import { recipientOf } from '../../recipient.ts';
import { idempotencyHeader } from '../../client.ts';

export const idempotencyOption = {
  'idempotency-key': { type: 'string', help: 'send only once, however often the command runs with this key' },
} as const;

export const sendText: Command = {
  words: 'send text',
  summary: 'Send a text message ("-" reads standard input)',
  positionals: ['device', 'to', 'message'],
  options: { 'link-preview': { type: 'boolean', help: 'with a preview of the first link' }, ...idempotencyOption },
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
