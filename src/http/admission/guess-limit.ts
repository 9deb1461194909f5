/**
 * Limits failed authentications per minute and address. A key that has worked from the address within the hour keeps working
 * while the address is blocked, so that one bad client behind a shared address does not lock out the others.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import { HandsetError } from '../../errors.ts';
import { type Standing, steadyTime } from './rate-limit.ts';

const windowMs = 60_000;
const trustedMs = 3_600_000;
/** Addresses that are remembered; an attacker with more of them is not stopped by an address limit. */
const max = 20_000;

const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));

/** One IPv6 network is one client: a host has 2^64 addresses to itself. */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const all = [...front, ...Array.from({ length: zeros }, () => '0'), ...back];
  return `${all.slice(0, 4).join(':')}::/64`;
};

export interface GuessLimit {
  /** Throws RateLimited unless this identity has worked from the address before. */
  pass(address: string, identity: string): void;
  /** Throws RateLimited when that was one too many. */
  fail(address: string): void;
  /** How many more may fail. */
  standing(address: string): Standing;
}

export const guessLimit = (limit: number, clock: Clock): GuessLimit => {
  const now = steadyTime(clock);
  const failures = new LRUCache<string, readonly number[]>({ max });
  const worked = new LRUCache<string, number>({ max });
  const failedAt = (network: string): readonly number[] => {
    const since = now() - windowMs;
    return (failures.get(network) ?? []).filter((time) => time > since);
  };
  const secondsLeft = (oldest: number): number => Math.max(1, Math.ceil((oldest + windowMs - now()) / 1000));
  const held = (oldest: number): HandsetError => {
    const retryAfterSeconds = secondsLeft(oldest);
    const message = `Too many failed authentications from this address; maximum ${limit} per minute`;
    return new HandsetError('RateLimited', message, { retryAfterSeconds });
  };
  return {
    pass(address, identity) {
      const network = networkOf(address);
      const times = failedAt(network);
      const name = `${network} ${identity}`;
      const last = worked.get(name) ?? -Infinity;
      if (times.length >= limit && now() - last > trustedMs) throw held(times[0]!);
      worked.set(name, now());
    },
    fail(address) {
      const network = networkOf(address);
      const times = failedAt(network);
      // What is refused does not count, so a held address is let in again by waiting.
      if (times.length >= limit) throw held(times[0]!);
      failures.set(network, [...times, now()]);
    },
    standing(address) {
      const times = failedAt(networkOf(address));
      return { limit, remaining: Math.max(0, limit - times.length), resetSeconds: secondsLeft(times[0] ?? now()) };
    },
  };
};
