/** Captures that are under way: the shapes of a device's stanzas, over all its connections, until their time is over. */
import type { Clock } from '../../domain/clock.ts';
import type { Capture, Captures } from '../../domain/network.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import type { Tap } from '../engine/line/line.ts';
import { type Direction, shapesOf } from './shapes.ts';

/** The real network has a few hundred. */
const mostShapes = 5_000;

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
  /** One for each device that has been connected. */
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

  /** Listens to the connections of a device. */
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
      if (count > 0 || counts.size < mostShapes) counts.set(shape, count + 1);
    }
  }
}
