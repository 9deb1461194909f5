/** `handset device show`: a device and what its session is doing. */
import type { SessionView } from '../../domain/session-state.ts';
import { type Command, deviceId } from '../command.ts';
import { fields } from '../output.ts';
import { deviceOf, spacedCode } from '../pairing.ts';

export const deviceShow: Command = {
  words: 'device show',
  summary: 'Show a device and its session',
  positionals: ['device'],
  options: {},
  optionHelp: {},
  async run({ client, out }, given) {
    const id = deviceId(given);
    const device = await deviceOf(client(), id);
    const { session } = await client().call<{ session: SessionView }>('GET', `/devices/${id}/session`);
    out.value({ device, session });
    out.line(
      fields([
        ['Device', device.id],
        ['Name', device.name],
        ['Status', device.status],
        ['Session', session.state],
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
