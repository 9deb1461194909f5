/** Shows the QR or the pairing code of a device, and waits with `--wait`: for the link, or for an open session. */
import type { Device } from '../../domain/device.ts';
import type { SessionView } from '../../domain/sessions/state.ts';
import type { Client } from '../client/client.ts';
import type { Arguments, Context } from '../command/command.ts';
import { CommandError } from '../client/failure.ts';
import { paint } from '../terminal/paint.ts';
import { PasskeyGuide } from './passkey.ts';

/** Half of what the rate limit allows by default, and sooner than anybody puts the phone away. */
const pollMs = 2000;

export const deviceOf = async (client: Client, id: number): Promise<Device> =>
  (await client.call<{ device: Device }>('GET', `/devices/${id}`)).device;

/** `ABCDEFGH` as the phone shows it. */
export const spacedCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

const linkingHelp =
  'If the phone says "Couldn\'t link device", scan the next QR. If it says so each time, run "handset doctor".';

export const showQr = async ({ client, out }: Context, id: number): Promise<void> => {
  const response = await client().open(`/devices/${id}/qr?format=text`, 'text/plain');
  const qr = (await response.text()).trimEnd();
  out.draw(`${qr}\nScan it with the phone: Settings, Linked devices, Link a device.\n${linkingHelp}`);
};

export const waitOption = {
  wait: { type: 'boolean', help: 'wait until the device is linked (default in a terminal; see --no-wait)' },
} as const;

/** Asked for, or else whenever a person sits before it. */
export const wantsWait = ({ out }: Context, given: Arguments): boolean =>
  typeof given.values['wait'] === 'boolean' ? given.values['wait'] : out.interactive;

/** The QR or the code that is there now, where it is another one. */
const showOffer = async (context: Context, id: number, code: string | null): Promise<string | null> => {
  const { pairingCode } = await sessionOf(context.client(), id);
  if (pairingCode === null) await showQr(context, id);
  else if (pairingCode !== code) context.out.line('Pairing code: ', paint('strong', spacedCode(pairingCode)));
  return pairingCode;
};

/** Shows what is offered, or asked for, until the device is connected; throws CommandError when the pairing has ended. */
export const waitForLink = async (context: Context, id: number, first: Device): Promise<Device> => {
  const client = context.client();
  const guide = new PasskeyGuide(context, id);
  const text = `Waiting for device ${id} to be linked`;
  let shown = first.qr;
  let waiting = context.out.progress(text);
  try {
    let { pairingCode: code } = await sessionOf(client, id);
    for (;;) {
      const device = await deviceOf(client, id);
      if (device.status === 'connected') return device;
      if (device.qr === null) {
        const { state, reason } = await sessionOf(client, id);
        if (state === 'closed') throw new CommandError(`Device ${id} was not linked: ${reason}`);
        waiting.tell(reason ?? text);
        if (state === 'passkey_required') {
          // The line that shows the progress must not be drawn over a question.
          const asked = await guide.look(() => waiting[Symbol.dispose]());
          if (asked) waiting = context.out.progress(text);
        }
      } else if (device.qr !== shown) {
        waiting.tell(text);
        code = await showOffer(context, id, code);
      }
      shown = device.qr;
      await context.sleep(pollMs);
    }
  } finally {
    waiting[Symbol.dispose]();
  }
};

/** States that last until a person acts. */
const resting: ReadonlySet<SessionView['state']> = new Set(['open', 'closed', 'pairing', 'passkey_required']);

export const sessionOf = async (client: Client, id: number): Promise<SessionView> =>
  (await client.call<{ session: SessionView }>('GET', `/devices/${id}/session`)).session;

/** The session once it is open; throws CommandError when it needs a person first. */
export const waitForOpen = async ({ client, out, sleep }: Context, id: number): Promise<SessionView> => {
  using waiting = out.progress(`Waiting for the session of device ${id}`);
  for (;;) {
    const session = await sessionOf(client(), id);
    if (session.state === 'open') return session;
    if (resting.has(session.state)) throw new CommandError(`Device ${id} is not connected: ${session.reason}`);
    if (session.reason !== null) waiting.tell(session.reason);
    await sleep(1000);
  }
};
