/** `handset device show`: a device and what its session is doing. */
import { type Command, deviceId, flagOption } from '../../command/command.ts';
import { fields } from '../../terminal/output.ts';
import { painted } from '../../terminal/paint.ts';
import { deviceOf, sessionOf, spacedCode, waitForOpen } from '../../pairing/pairing.ts';

export const deviceShow: Command = {
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
