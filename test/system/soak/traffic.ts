/** Random traffic: callers send through the service, people write and read on their phones. All of it is remembered. */
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import type { Random } from '../support/random.ts';
import type { Person } from '../support/people.ts';
import type { Linked, World } from './world.ts';

/** One message that was written, and what became of it at its sender. */
export interface Said {
  /** Unlike any other. */
  readonly text: string;
  readonly from: Person;
  readonly by: 'service' | 'phone';
  readonly readers: readonly Person[];
  readonly inGroup: boolean;
  /** Its id, once it was accepted; null where nobody knows. */
  id: string | null;
  /** Opened by its reader, who then gave a read receipt. */
  read: boolean;
}

/** Only the newest are opened: people do not scroll far back. */
const memory = 50;

/** Accepts the error of a phone that is offline just now; rethrows any other. */
const offline = (error: unknown): null => {
  if (error instanceof Error && error.message.includes('the phone is offline')) return null;
  throw error;
};

export class Traffic {
  readonly said: Said[] = [];
  readonly #world: World;
  readonly #random: Random;
  readonly #unread: Said[] = [];
  #picture: string | null = null;
  #stopping = false;
  /** Answers other than 200, by status and message. */
  readonly refused = new Map<string, number>();

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  stop(): void {
    this.#stopping = true;
  }

  /** One caller, or one person: one thing after the other until `stop`. */
  async run(what: 'service' | 'phones', pauseMs: number): Promise<void> {
    while (!this.#stopping) {
      if (what === 'service') await this.sendByService(this.#random.pick(this.#world.linked));
      else await this.#beAtThePhone();
      await sleep(this.#random.between(0, 2 * pauseMs));
    }
  }

  /** Sends from one account to somebody. True when it was accepted. */
  async sendByService(from: Linked, to: Person | null = null): Promise<boolean> {
    const image = to === null && this.#random.chance(0.08);
    const { address, readers, inGroup } = this.#addressee(from, to);
    const said = this.#say({ from, by: 'service', readers, inGroup });
    const { api } = this.#world;
    const path = `/devices/${from.device}/messages`;
    const answer = image
      ? await api.post(`${path}/media`, {
          ...address,
          mediaBase64: await this.#imageBase64(),
          mediaCaption: said.text,
        })
      : await api.post(`${path}/text`, { ...address, message: said.text });
    if (answer.status !== 200) {
      const why = `${answer.status} ${answer.body?.status?.message}`.replaceAll(/\d{5,}|Device \d+/g, '…');
      this.refused.set(why, (this.refused.get(why) ?? 0) + 1);
      return false;
    }
    this.#accepted(said, answer.body.messageId as string);
    return true;
  }

  /** Writes on a phone. */
  async writeOnPhone(from: Person, to: Person | null = null): Promise<void> {
    const { address, readers, inGroup } = this.#addressee(from, to);
    const said = this.#say({ from, by: 'phone', readers, inGroup });
    const chat = 'to' in address ? address.to : address.toNumber;
    const image = to === null && this.#random.chance(0.08);
    const content = image ? { imageBase64: await this.#imageBase64(), caption: said.text } : { text: said.text };
    const ids = await this.#world.phones.write(from.number, { to: chat, ...content }).catch(offline);
    if (ids?.[0] !== undefined) this.#accepted(said, ids[0]);
  }

  #addressee(from: Person, to: Person | null) {
    const { linked, others, groups } = this.#world;
    if (to === null && this.#random.chance(0.2)) {
      const mine = groups.filter(({ members }) => members.some(({ number }) => number === from.number));
      if (mine.length > 0) {
        const group = this.#random.pick(mine);
        const readers = group.members.filter(({ number }) => number !== from.number);
        return { address: { to: group.jid }, readers, inGroup: true };
      }
    }
    const reader = to ?? this.#random.pick([...linked, ...others].filter(({ number }) => number !== from.number));
    const address = this.#random.chance(0.5)
      ? { toNumber: reader.number }
      : { to: this.#random.chance(0.5) ? reader.jid : reader.lid };
    return { address, readers: [reader], inGroup: false };
  }

  #say(said: Omit<Said, 'text' | 'id' | 'read'>): Said {
    const whole = { ...said, text: `${said.by} ${this.said.length} of ${said.from.number}`, id: null, read: false };
    this.said.push(whole);
    return whole;
  }

  #accepted(said: Said, id: string): void {
    said.id = id;
    if (said.by !== 'service' || said.inGroup) return;
    this.#unread.push(said);
    if (this.#unread.length > memory) this.#unread.shift();
  }

  async #beAtThePhone(): Promise<void> {
    const { linked, others } = this.#world;
    if (this.#random.chance(0.15)) return this.#open();
    await this.writeOnPhone(this.#random.pick(this.#random.chance(0.7) ? others : linked));
  }

  /** Somebody opens a message that is on the screen already. */
  async #open(): Promise<void> {
    if (this.#unread.length === 0) return;
    const said = this.#random.pick(this.#unread);
    const [reader] = said.readers;
    const path = `/phones/${reader!.number}/messages/${said.id}`;
    const there = await this.#world.phones.request('GET', path).then(
      () => true,
      () => false,
    );
    if (!there || said.read) return;
    const opened = await this.#world.phones.request('POST', `${path}/read`).catch(offline);
    if (opened === null) return;
    said.read = true;
    this.#unread.splice(this.#unread.indexOf(said), 1);
  }

  async #imageBase64(): Promise<string> {
    this.#picture ??= (
      await sharp({ create: { width: 160, height: 120, channels: 3, background: '#48c' } })
        .jpeg()
        .toBuffer()
    ).toString('base64');
    return this.#picture;
  }
}
