/** `handset webhook set`: the URL that a device itself posts its events to. */
import { type Command, deviceId, positional } from '../../command/command.ts';

export const webhookSet: Command = {
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
