/** Leads a person through a passkey in the terminal: the link to open, the code to compare. */
import type { Client } from '../client/client.ts';
import type { Context } from '../command/command.ts';
import { CommandError } from '../client/failure.ts';
import { paint } from '../terminal/paint.ts';

export interface Passkey {
  readonly step: 'response' | 'phone' | 'confirm';
  readonly options: { readonly challenge: string } | null;
  readonly refusal: string | null;
  readonly code: string | null;
  readonly link: string | null;
}

export const passkeyOf = async (client: Client, id: number): Promise<Passkey> =>
  (await client.call<{ passkey: Passkey }>('GET', `/devices/${id}/passkey`)).passkey;

export const confirmPasskey = (client: Client, id: number): Promise<unknown> =>
  client.call('POST', `/devices/${id}/passkey/confirm`);

/** Says what is to be done, once for each thing that changes. */
export class PasskeyGuide {
  readonly #context: Context;
  readonly #id: number;
  #told = '';

  constructor(context: Context, id: number) {
    this.#context = context;
    this.#id = id;
  }

  /** Whether a person was asked; `asking` is called before. */
  async look(asking: () => void): Promise<boolean> {
    let passkey: Passkey;
    try {
      passkey = await passkeyOf(this.#context.client(), this.#id);
    } catch (error) {
      // It went on between two looks, and the session tells where to.
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
