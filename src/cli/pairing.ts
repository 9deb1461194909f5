/** Shows the QR or the pairing code of a device, and waits with `--wait`: for the link, or for an open session. */
import type { Device } from '../domain/device.ts';
import type { SessionView } from '../domain/session-state.ts';
import type { Client } from './client.ts';
import type { Arguments, Context } from './command.ts';
import { CommandError } from './failure.ts';
import { sleep } from './sleep.ts';

/** Half of what the rate limit allows by default, and sooner than anybody puts the phone away. */
const pollMs = 2000;

export const deviceOf = async (client: Client, id: number): Promise<Device> =>
  (await client.call<{ device: Device }>('GET', `/devices/${id}`)).device;

/** `ABCDEFGH` as the phone shows it. */
export const spacedCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

export const showQr = async ({ client, out }: Context, id: number): Promise<void> => {
  const response = await client().open(`/devices/${id}/qr?format=text`, 'text/plain');
  const qr = (await response.text()).trimEnd();
  out.draw(`${qr}\nScan it with the phone: Settings, Linked devices, Link a device.`);
};

export const waitOption = { wait: { type: 'boolean' } } as const;
export const waitHelp = { wait: 'go on until the device is linked; usual in a terminal, --no-wait ends at once' };

/** Asked for, or else whenever a person sits before it. */
export const wantsWait = ({ out }: Context, given: Arguments): boolean =>
  typeof given.values['wait'] === 'boolean' ? given.values['wait'] : out.interactive;

/** What holds the pairing up where no QR is shown: a passkey that is asked for. */
const reasonOf = async (client: Client, id: number): Promise<string> =>
  (await sessionOf(client, id)).reason ?? `Waiting for device ${id} to be linked`;

/** Draws each new QR until the device is connected; throws CommandError when the pairing ends otherwise. */
export const waitForLink = async (context: Context, id: number, first: Device): Promise<Device> => {
  const client = context.client();
  let shown = first.qr;
  using waiting = context.out.progress(`Waiting for device ${id} to be linked`);
  for (;;) {
    await sleep(pollMs, context.signal);
    const device = await deviceOf(client, id);
    if (device.status === 'connected') return device;
    if (device.status === 'timeout') {
      throw new CommandError(`Device ${id} was not linked in time; run "handset device restart ${id}" for a new QR`);
    }
    if (device.qr === null) waiting.tell(await reasonOf(client, id));
    else if (device.qr !== shown) {
      shown = device.qr;
      await showQr(context, id);
    }
  }
};

/** Where a session stays until a person does something. */
const resting: ReadonlySet<SessionView['state']> = new Set(['open', 'closed', 'pairing', 'passkey_required']);

export const sessionOf = async (client: Client, id: number): Promise<SessionView> =>
  (await client.call<{ session: SessionView }>('GET', `/devices/${id}/session`)).session;

/** The session once it is open; throws CommandError when it needs a person first. */
export const waitForOpen = async ({ client, out, signal }: Context, id: number): Promise<SessionView> => {
  using waiting = out.progress(`Waiting for the session of device ${id}`);
  for (;;) {
    const session = await sessionOf(client(), id);
    if (session.state === 'open') return session;
    if (resting.has(session.state)) throw new CommandError(`Device ${id} is not connected: ${session.reason}`);
    if (session.reason !== null) waiting.tell(session.reason);
    await sleep(1000, signal);
  }
};
