/** `handset device create`: a new device and its QR in the terminal. */
import type { Device } from '../../../domain/device.ts';
import { type Command, textOption } from '../../command.ts';
import { showQr, spacedCode, waitForLink, waitHelp, waitOption, wantsWait } from '../../pairing.ts';
import { paint } from '../../terminal/paint.ts';

interface Created {
  readonly device: Device;
  readonly pairingCode?: string | null;
}

export const deviceCreate: Command = {
  words: 'device create',
  summary: 'Create a device and show its QR',
  positionals: [],
  options: {
    name: { type: 'string' },
    'webhook-url': { type: 'string' },
    'webhook-events': { type: 'string' },
    'phone-number': { type: 'string' },
    ...waitOption,
  },
  optionHelp: {
    name: 'name of the device',
    'webhook-url': 'URL that receives its events',
    'webhook-events': 'event kinds, separated by commas (default: all)',
    'phone-number': 'pair with a code for this number instead of the QR',
    ...waitHelp,
  },
  async run(context, given) {
    const { client, out } = context;
    const events = textOption(given, 'webhook-events');
    const body = {
      name: textOption(given, 'name'),
      webhookUrl: textOption(given, 'webhook-url'),
      webhookEvents: events?.split(',').map((kind) => kind.trim()),
      phoneNumber: textOption(given, 'phone-number'),
    };
    const { device, pairingCode } = await client().call<Created>('POST', '/devices', body);
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
