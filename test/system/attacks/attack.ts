/** What an attack is, and what it is told of the service. */
import type { Stores } from '../../../src/domain/stores.ts';
import type { Reply } from '../load/ask.ts';
import type { Tenant, Watch } from './witness.ts';

export interface Target {
  readonly url: string;
  /** The control interface of the sandbox. */
  readonly controlUrl: string;
  readonly attacker: Tenant;
  /** The number of the attacker's phone, which has linked the device. */
  readonly number: string;
  /** The number of a phone to which anybody may write. */
  readonly friend: string;
}

export interface Stage extends Target {
  ask(key: string, method: string, path: string, body?: Readonly<Record<string, unknown>>): Promise<Reply>;
}

/** One attack, as somebody outside makes it. */
export interface Attack {
  readonly name: string;
  /** Settings without which it would take longer to begin. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Requests of the other tenants; reads if omitted. */
  readonly tenants?: Watch['asks'];
  /** It goes on after its end: there is no second round. */
  readonly isLasting?: boolean;
  /** Writes what the attacker has caused to be stored before, while the service is stopped. */
  seed?(stores: Stores, deviceId: number): Promise<void>;
  /** Sets up, once, what does nothing by itself. */
  prepare?(stage: Stage): Promise<void>;
  /** Attacks until it is told to end; then waits for nothing. May be called again. */
  run(stage: Stage, ended: AbortSignal): Promise<void>;
}
