/** Somebody who links a device with their phone, and does at each moment what the service tells them to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Device } from '../../../src/domain/device.ts';
import type { SessionView } from '../../../src/domain/sessions/state.ts';
import type { World } from './world.ts';

export interface Story {
  readonly number: string;
  readonly by: 'qr' | 'code';
  readonly linking: 'plain' | 'refresh' | 'passkey';
  /** Uses nothing of what is offered. */
  readonly idle: boolean;
  /** First answers with the passkey of somebody else. */
  readonly wrongPasskey: string | null;
}

export interface Ending {
  readonly story: Story;
  readonly device: number | null;
  readonly how: 'linked' | 'timeout' | 'stuck';
  /** The service's reason at the end. */
  readonly reason: string | null;
  /** Messages of the service or the network on the way there. */
  readonly heard: readonly string[];
  readonly restarts: number;
  readonly ms: number;
}

const lookMs = 60;
/** A person with a phone before a screen tries again after this time. */
const againMs = 1_500;
const maxRestarts = 4;

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export class Person {
  readonly #world: World;
  readonly #story: Story;
  readonly #name: string;
  readonly #heard: string[] = [];
  #device: number | null = null;
  #restarts = 0;
  /** The QR or code that was used last, and when. */
  #used = { what: '', at: 0 };
  #wrong: string | null;

  constructor(world: World, story: Story) {
    this.#world = world;
    this.#story = story;
    this.#name = `For ${story.number}`;
    this.#wrong = story.wrongPasskey;
  }

  /** Ends linked, or when the service has given up and so has the person, or when the time is over. */
  async run(limitMs: number): Promise<Ending> {
    const begun = performance.now();
    const ending = (how: Ending['how'], reason: string | null): Ending => ({
      story: this.#story,
      device: this.#device,
      how,
      reason,
      heard: this.#heard,
      restarts: this.#restarts,
      ms: performance.now() - begun,
    });
    let last: SessionView | null = null;
    while (performance.now() - begun < limitMs) {
      if (this.#device === null) await this.#create();
      const session = await this.#session();
      last = session ?? last;
      if (session?.state === 'open') return ending('linked', null);
      if (session?.state === 'closed' && (this.#story.idle || this.#restarts >= maxRestarts)) {
        return ending('timeout', session.reason);
      }
      if (session !== null) await this.#act(session);
      await sleep(lookMs);
    }
    return ending('stuck', last === null ? null : `${last.state}: ${last.reason}`);
  }

  get #wish(): object {
    return this.#story.by === 'code' ? { phoneNumber: this.#story.number } : {};
  }

  #hear(words: string): void {
    if (this.#heard.at(-1) !== words) this.#heard.push(words);
  }

  async #create(): Promise<void> {
    const answer = await this.#world.ask('POST', '/devices', { name: this.#name, ...this.#wish });
    if (answer?.status === 200) this.#device = answer.body.device.id;
    // The service went away: whether the device is there shows when it is back.
    else if (answer === null) this.#device = await this.#find();
    else {
      this.#hear(`create: ${answer.status} ${answer.body?.status?.message}`);
      await sleep(againMs / 5);
    }
  }

  async #find(): Promise<number | null> {
    const answer = await this.#world.ask('GET', '/devices?limit=1000');
    const devices = (answer?.body?.devices ?? []) as readonly Device[];
    return devices.find(({ name }) => name === this.#name)?.id ?? null;
  }

  async #session(): Promise<SessionView | null> {
    if (this.#device === null) return null;
    const answer = await this.#world.ask('GET', `/devices/${this.#device}/session`);
    return answer?.status === 200 ? answer.body.session : null;
  }

  async #act(session: SessionView): Promise<void> {
    if (session.state === 'closed') return this.#restart(session);
    if (this.#story.idle && session.state === 'pairing') return;
    if (session.state === 'pairing') return this.#pair(session);
    if (session.state === 'passkey_required' && !this.#story.idle) return this.#confirm();
  }

  async #restart({ reason }: SessionView): Promise<void> {
    this.#hear(`closed: ${reason}`);
    this.#restarts += 1;
    const answer = await this.#world.ask('POST', `/devices/${this.#device}/restart`, this.#wish);
    if (answer !== null && answer.status !== 200)
      this.#hear(`restart: ${answer.status} ${answer.body?.status?.message}`);
  }

  /** False for a QR or code that was just tried. */
  #mayUse(what: string): boolean {
    const now = performance.now();
    if (this.#used.what === what && now - this.#used.at < againMs) return false;
    this.#used = { what, at: now };
    return true;
  }

  async #pair({ pairingCode, reason }: SessionView): Promise<void> {
    if (reason !== null && /failed|refused|restarted|confirmed/.test(reason)) this.#hear(reason);
    const { phones } = this.#world;
    if (this.#story.by === 'code' && pairingCode !== null) {
      if (this.#mayUse(pairingCode)) await this.#onPhone(phones.enterCode(this.#story.number, pairingCode));
      return;
    }
    const answer = await this.#world.ask('GET', `/devices/${this.#device}`);
    const qr: string | null = answer?.body?.device?.qr ?? null;
    if (qr !== null && this.#mayUse(qr)) await this.#onPhone(phones.scan(this.#story.number, qr));
  }

  /** The person looks at the computer again after a while, whatever the phone does. */
  async #onPhone(work: Promise<unknown>): Promise<void> {
    const patience = new AbortController();
    const tried = work.then(
      () => undefined,
      (error: unknown) => this.#hear(`phone: ${wordsOf(error)}`),
    );
    await Promise.race([tried, sleep(againMs, undefined, { signal: patience.signal }).catch(() => {})]);
    patience.abort();
  }

  async #confirm(): Promise<void> {
    const path = `/devices/${this.#device}/passkey`;
    const passkey = (await this.#world.ask('GET', path))?.body?.passkey;
    if (passkey?.step === 'response' && this.#mayUse(passkey.options.challenge)) {
      const who = this.#wrong ?? this.#story.number;
      this.#wrong = null;
      const credential = await this.#world.phones.passkey(who, passkey.options);
      const answer = await this.#world.ask('POST', `${path}/response`, credential);
      if (answer !== null && answer.status !== 200) this.#hear(`passkey: ${answer.body?.status?.message}`);
    }
    if (passkey?.step === 'confirm' && this.#mayUse(passkey.code)) {
      const { passkeyCode } = await this.#world.phones.get(this.#story.number);
      if (passkeyCode === passkey.code) await this.#world.ask('POST', `${path}/confirm`);
      else this.#hear(`the codes differ: ${passkey.code} here, ${passkeyCode} on the phone`);
    }
  }
}
