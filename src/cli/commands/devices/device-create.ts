/** `handset device create`: a new device and its QR in the terminal. */
import type { Device } from '../../../domain/device.ts';
import { type Command, textOption } from '../../command/command.ts';
import { showQr, spacedCode, waitForLink, waitOption, wantsWait } from '../../pairing/pairing.ts';
import { proxyHelp, proxyOf } from '../../command/proxy-option.ts';
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
    name: { type: 'string', help: 'name of the device' },
    'webhook-url': { type: 'string', help: 'URL that receives its events' },
    'webhook-events': { type: 'string', help: 'event kinds, separated by commas (default: all)' },
    'phone-number': { type: 'string', help: 'pair with a code for this number instead of the QR' },
    proxy: { type: 'string', help: proxyHelp },
    ...waitOption,
  },
  async run(context, given) {
    const { client, out } = context;
    const events = textOption(given, 'webhook-events');
    const body = {
      name: textOption(given, 'name'),
      webhookUrl: textOption(given, 'webhook-url'),
      webhookEvents: events?.split(',').map((kind) => kind.trim()),
      phoneNumber: textOption(given, 'phone-number'),
      proxy: await proxyOf(context, given),
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
