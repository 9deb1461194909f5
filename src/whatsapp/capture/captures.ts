/** Shapes of a device's stanzas: tags, attribute names, classes of values. No ids, numbers, names, texts or keys; protocol words where enumerated. */
import { isProtocolWord } from '../library/dictionary.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Capture, Captures } from '../../domain/network.ts';
import type { Tap } from '../socket/line.ts';

type Direction = 'in' | 'out';

/** Attributes that distinguish kinds of stanzas; part of the path. */
const kinds = ['xmlns', 'type', 'class'];
const enumerated: ReadonlySet<string> = new Set(
  kinds.concat(['mode', 'context', 'category', 'action', 'edit', 'addressing_mode', 'mediatype', 'push_priority']),
);
const codes: ReadonlySet<string> = new Set(['error', 'code', 'reason']);

const newerWords: ReadonlySet<string> = new Set(
  ['companion_reg_refresh', 'link_code_companion_reg', 'passkey_prologue_request', 'crsc_continuation', 'md'].concat([
    'peer_msg',
    'hist_sync',
    'view_once',
    'privacy_token',
    'w:mex',
    'server-error',
    'sender',
    'mediaretry',
    'background',
  ]),
);

const people: Readonly<Record<string, string>> = { 's.whatsapp.net': 'pn', 'c.us': 'pn', lid: 'lid' };
const servers: Readonly<Record<string, string>> = { 'g.us': 'group', newsletter: 'channel', bot: 'bot', call: 'call' };

const isName = (text: string): boolean => /^[A-Za-z][A-Za-z_:.-]{0,59}\d{0,2}$/.test(text);

const nameOf = (text: string): string => (isName(text) ? text : '?');

const wordOf = (text: string): string =>
  isName(text) && (isProtocolWord(text) || newerWords.has(text)) ? text : 'word';

const jidClass = (jid: string): string => {
  const at = jid.lastIndexOf('@');
  const [user, server] = [jid.slice(0, Math.max(at, 0)), jid.slice(at + 1)];
  if (user === '') return servers[server] === undefined ? 'server' : `${servers[server]}-server`;
  if (server === 'broadcast') return user === 'status' ? 'status' : 'broadcast';
  const person = people[server];
  if (person !== undefined) return user.includes(':') ? `${person}:device` : person;
  return servers[server] ?? 'jid';
};

const classOf = (name: string, value: string): string => {
  if (enumerated.has(name)) return wordOf(value);
  if (codes.has(name) && /^\d{3}$/.test(value)) return value;
  if (value.includes('@') || value === 's.whatsapp.net' || value === 'g.us') return jidClass(value);
  if (value === 'true' || value === 'false') return 'flag';
  // The key of a group being created is a random id, digits only once in 2,000 times.
  if (name === 'id' || name === 'key' || name.endsWith('-id')) return 'id';
  return /^\d+$/.test(value) ? 'number' : 'text';
};

const deepest = 12;

function* walk({ tag, attrs, content }: BinaryNode, above: string, depth: number): Generator<string> {
  const kind = kinds.filter((name) => attrs[name] !== undefined).map((name) => `${name}=${wordOf(attrs[name]!)}`);
  const path = `${above}${nameOf(tag)}${kind.length === 0 ? '' : `[${kind.join()}]`}`;
  yield path;
  for (const [name, value] of Object.entries(attrs)) {
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- nodes that the library makes have some
    if (value !== undefined && !kinds.includes(name)) yield `${path} ${nameOf(name)}=${classOf(name, value)}`;
  }
  if (!Array.isArray(content)) {
    if (content !== undefined) yield `${path} = bytes`;
  } else if (depth < deepest) for (const child of content) yield* walk(child, `${path}/`, depth + 1);
}

/** One line per node and attribute, deduplicated: `out message[type=text]/enc[type=msg] v=number`. */
export const shapesOf = (direction: Direction, node: BinaryNode): ReadonlySet<string> =>
  new Set(walk(node, `${direction} `, 0));

const maxShapes = 5_000;

interface Running {
  readonly startedAt: number;
  readonly endsAt: number;
  readonly counts: Map<string, number>;
}

const reportOf = ({ startedAt, endsAt, counts }: Running): Capture => ({
  startedAt,
  endsAt,
  shapes: [...counts].map(([shape, count]) => ({ shape, count })).toSorted((a, b) => (a.shape < b.shape ? -1 : 1)),
});

export class DeviceCaptures implements Captures {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #running = new Map<number, Running>();
  readonly #taps = new Map<number, { isOn: boolean } & Tap>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  start(deviceId: number, ms: number): Capture {
    const startedAt = this.#clock.now();
    const running = { startedAt, endsAt: startedAt + ms, counts: new Map<string, number>() };
    this.#running.set(deviceId, running);
    this.#switch(deviceId, true);
    return reportOf(running);
  }

  read(deviceId: number): Capture | null {
    const running = this.#running.get(deviceId);
    return running === undefined ? null : reportOf(running);
  }

  stop(deviceId: number): Capture | null {
    const report = this.read(deviceId);
    this.#running.delete(deviceId);
    this.#switch(deviceId, false);
    return report;
  }

  #switch(deviceId: number, isOn: boolean): void {
    const tap = this.#taps.get(deviceId);
    if (tap !== undefined) tap.isOn = isOn;
  }

  tap(deviceId: number): Tap {
    const known = this.#taps.get(deviceId);
    if (known !== undefined) return known;
    const tap: { isOn: boolean } & Tap = {
      isOn: this.#running.has(deviceId),
      note: (direction, node) => this.#note(deviceId, direction, node),
    };
    this.#taps.set(deviceId, tap);
    return tap;
  }

  #note(deviceId: number, direction: Direction, node: BinaryNode): void {
    const running = this.#running.get(deviceId);
    if (running === undefined || this.#clock.now() >= running.endsAt) return;
    const { counts } = running;
    for (const shape of shapesOf(direction, node)) {
      const count = counts.get(shape) ?? 0;
      if (count > 0 || counts.size < maxShapes) counts.set(shape, count + 1);
    }
  }
}
