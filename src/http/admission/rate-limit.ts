/** Limits per minute (docs/spec/http-interface.md, Limits): a sliding window per user, and failed authentications per address. */
import type { FastifyReply } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import { HandsetError } from '../../errors.ts';
import { atMost } from '../../domain/at-most.ts';

export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface RateVerdict extends Standing {
  readonly allowed: boolean;
}

export interface RateLimiter {
  standing(userId: number): Standing | Promise<Standing>;
  /** Null: another process has revoked the key. */
  take(userId: number, keyId: number | null): RateVerdict | Promise<RateVerdict | null>;
}

export const tellLimit = ({ limit, remaining, resetSeconds }: Standing, reply: FastifyReply): void => {
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
};

export const rateLimited = ({ limit, resetSeconds }: RateVerdict): HandsetError =>
  new HandsetError('RateLimited', `Rate limit exceeded; maximum ${limit} requests per minute per user`, {
    retryAfterSeconds: resetSeconds,
  });

const windowMs = 60_000;

/** Monotonic: setting the clock back must not lock anybody out. Only differences count. */
const steadyTime = (clock: Pick<Clock, 'now'>): (() => number) => {
  let last = clock.now();
  let added = 0;
  return () => {
    const now = clock.now() + added;
    if (now < last) added += last - now;
    else last = now;
    return last;
  };
};

interface RequestTimes {
  times: number[];
  first: number;
}

/** Any minute holds at most `limit` accepted requests of a user. Refused requests do not count. */
export const slidingWindow = (limit: number, clock: Clock) => {
  const users = new Map<number, RequestTimes>();
  const time = steadyTime(clock);
  const take = (userId: number, _keyId: number | null = null, counts = true): RateVerdict => {
    const now = time();
    let sent = users.get(userId);
    if (sent === undefined) users.set(userId, (sent = { times: [], first: 0 }));
    while (sent.first < sent.times.length && sent.times[sent.first]! <= now - windowMs) sent.first += 1;
    if (sent.first > 0 && sent.first * 2 >= sent.times.length) {
      sent.times = sent.times.slice(sent.first);
      sent.first = 0;
    }
    const allowed = sent.times.length - sent.first < limit;
    if (allowed && counts) sent.times.push(now);
    const oldest = sent.times[sent.first] ?? now;
    return {
      allowed,
      limit,
      remaining: limit - (sent.times.length - sent.first),
      resetSeconds: Math.max(1, Math.ceil((oldest + windowMs - now) / 1000)),
    };
  };
  return { take, standing: (userId: number): Standing => take(userId, null, false) };
};

const trustedMs = 3_600_000;
/** Addresses remembered. An attacker with more is not stopped by a limit per address. */
const max = 20_000;

/** An IPv6 network is one client: a host has 2^64 addresses. */
export const networkOf = (address: string): string => {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
};

/** Limits failed authentications per address. A key that worked within the hour keeps working, as others may share the address. */
export const guessLimit = (limit: number, clock: Clock) => {
  const now = steadyTime(clock);
  const failures = new LRUCache<string, readonly number[]>(atMost(max));
  const worked = new LRUCache<string, number>(atMost(max));
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
    /** Throws RateLimited unless this identity has worked from the address before. */
    pass(address: string, identity: string): void {
      const network = networkOf(address);
      const name = `${network} ${identity}`;
      if (failures.size > 0) {
        const times = failedAt(network);
        const last = worked.get(name) ?? -Infinity;
        if (times.length >= limit && now() - last > trustedMs) throw held(times[0]!);
      }
      worked.set(name, now());
    },
    fail(address: string): void {
      const network = networkOf(address);
      const times = failedAt(network);
      // Refused requests do not count, so waiting unblocks an address.
      if (times.length >= limit) throw held(times[0]!);
      failures.set(network, [...times, now()]);
    },
    standing(address: string): Standing {
      const times = failedAt(networkOf(address));
      return { limit, remaining: Math.max(0, limit - times.length), resetSeconds: secondsLeft(times[0] ?? now()) };
    },
  };
};

export type GuessLimit = ReturnType<typeof guessLimit>;
