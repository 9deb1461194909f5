/** Linking a device in the terminal: the QR or code, the passkey, and the wait for the link. */
import { type Client, CommandError, type Device, type Session, type Things } from '../../mcp/client.ts';
import type { Context, Arguments } from './command.ts';
import { paint } from '../terminal/paint.ts';

type Passkey = Things['Passkey'];

export const passkeyOf = async (client: Client, id: number): Promise<Passkey> =>
  (await client.call<{ passkey: Passkey }>('GET', `/devices/${id}/passkey`)).passkey;

export const confirmPasskey = (client: Client, id: number): Promise<unknown> =>
  client.call('POST', `/devices/${id}/passkey/confirm`);

export class PasskeyGuide {
  readonly #context: Context;
  readonly #id: number;
  #told = '';

  constructor(context: Context, id: number) {
    this.#context = context;
    this.#id = id;
  }

  async look(asking: () => void): Promise<boolean> {
    let passkey: Passkey;
    try {
      passkey = await passkeyOf(this.#context.client(), this.#id);
    } catch (error) {
      if (error instanceof CommandError) return false;
      throw error;
    }
    const { step, options, code } = passkey;
    const now = `${step} ${options?.challenge ?? code ?? ''}`;
    if (now === this.#told) return false;
    this.#told = now;
    await this.tell(passkey, asking);
    return step === 'confirm';
  }

  async tell({ step, refusal, code, link }: Passkey, asking: () => void = () => {}): Promise<void> {
    const { out } = this.#context;
    if (step === 'response') {
      out.line('The network asks for the passkey of this account before it links the device.');
      if (refusal !== null) out.line(paint('bad', `It refused the last one: ${refusal}`));
      out.line('Open this link in a browser that has the extension "Handset passkey" (extension/README.md):');
      out.line(paint('strong', link ?? ''));
    }
    if (step === 'phone') out.line('Passkey accepted; the phone completes the linking.');
    if (step === 'confirm') {
      out.line('Code to compare with the phone: ', paint('strong', code ?? ''));
      asking();
      await this.#compare();
    }
  }

  async #compare(): Promise<void> {
    const { out, ask, client } = this.#context;
    const later = `If both codes match: handset device passkey ${this.#id} --confirm`;
    const answer = out.interactive ? await ask('Does the phone show the same code? [y/N] ') : '';
    if (!/^y(es)?$/i.test(answer.trim())) {
      out.line(later);
      return;
    }
    await confirmPasskey(client(), this.#id);
    out.line('Confirmed.');
  }
}

/** Half of the default rate limit. */
const pollMs = 2000;

export const deviceOf = async (client: Client, id: number): Promise<Device> =>
  (await client.call<{ device: Device }>('GET', `/devices/${id}`)).device;

export const spacedCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

const linkingHelp =
  'If the phone says "Couldn\'t link device", scan the next QR. If it says so each time, run "handset doctor".';

export const showQr = async ({ client, out }: Context, id: number): Promise<void> => {
  const response = await client().open(`/devices/${id}/qr?format=text`, 'text/plain');
  const qr = (await response.text()).trimEnd();
  out.draw(`${qr}\nScan it with the phone: ⋮ (iPhone: Settings), Linked devices, Link a device.\n${linkingHelp}`);
};

export const waitOption = {
  wait: { type: 'boolean', help: 'wait until the device is linked (default in a terminal; see --no-wait)' },
} as const;

export const wantsWait = ({ out }: Context, given: Arguments): boolean =>
  typeof given.values['wait'] === 'boolean' ? given.values['wait'] : out.interactive;

const showOffer = async (context: Context, id: number, code: string | null): Promise<string | null> => {
  const { pairingCode } = await sessionOf(context.client(), id);
  if (pairingCode === null) await showQr(context, id);
  else if (pairingCode !== code) context.out.line('Pairing code: ', paint('strong', spacedCode(pairingCode)));
  return pairingCode;
};

/** Shows QRs, codes and passkey steps until the device is connected. Throws CommandError if the pairing ends. */
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
          // Stop the progress line, so that it is not drawn over the question.
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

const resting: ReadonlySet<Session['state']> = new Set(['open', 'closed', 'pairing', 'passkey_required']);

export const sessionOf = async (client: Client, id: number): Promise<Session> =>
  (await client.call<{ session: Session }>('GET', `/devices/${id}/session`)).session;

/** Throws CommandError if the session needs a person first. */
export const waitForOpen = async ({ client, out, sleep }: Context, id: number): Promise<Session> => {
  using waiting = out.progress(`Waiting for the session of device ${id}`);
  for (;;) {
    const session = await sessionOf(client(), id);
    if (session.state === 'open') return session;
    if (resting.has(session.state)) throw new CommandError(`Device ${id} is not connected: ${session.reason}`);
    if (session.reason !== null) waiting.tell(session.reason);
    await sleep(1000);
  }
};
