/** The limits of requests of a minute (docs/spec/http-interface.md, Limits): an exact sliding window for each user, and failed authentications for each address. */
import type { FastifyReply } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import { HandsetError } from '../../errors.ts';

/** The state of a limit. */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the oldest request of the window no longer counts; after that one more is accepted. */
  readonly resetSeconds: number;
}

export interface RateVerdict extends Standing {
  readonly allowed: boolean;
}

/** Counts a request of a user, unless the limit is reached. In memory here; a shared store can stand in for it. */
export interface RateLimiter {
  /** Null: the key is no longer valid, which this process did not know. */
  take(userId: number, keyId: number | null): RateVerdict | Promise<RateVerdict | null>;
}

/** Tells the caller where a limit stands. */
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

/** Milliseconds that never go back: a clock that is set back must not lock anybody out for as long as the jump. Only differences count. */
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

/** The times of the accepted requests of the last minute, oldest first, from `first` on. */
interface RequestTimes {
  times: number[];
  first: number;
}

/** No minute, wherever it begins, sees more than `limit` accepted requests of one user. Refused requests do not count. */
export const slidingWindow = (limit: number, clock: Clock): { take(userId: number): RateVerdict } => {
  const users = new Map<number, RequestTimes>();
  const time = steadyTime(clock);
  return {
    take(userId) {
      const now = time();
      let sent = users.get(userId);
      if (sent === undefined) users.set(userId, (sent = { times: [], first: 0 }));
      while (sent.first < sent.times.length && sent.times[sent.first]! <= now - windowMs) sent.first += 1;
      if (sent.first > 0 && sent.first * 2 >= sent.times.length) {
        sent.times = sent.times.slice(sent.first);
        sent.first = 0;
      }
      const allowed = sent.times.length - sent.first < limit;
      if (allowed) sent.times.push(now);
      return {
        allowed,
        limit,
        remaining: limit - (sent.times.length - sent.first),
        resetSeconds: Math.max(1, Math.ceil((sent.times[sent.first]! + windowMs - now) / 1000)),
      };
    },
  };
};

const trustedMs = 3_600_000;
/** Addresses that are remembered; an attacker with more of them is not stopped by an address limit. */
const max = 20_000;

/** One IPv6 network is one client: a host has 2^64 addresses to itself. */
export const networkOf = (address: string): string => {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
};

/**
 * Limits failed authentications per minute and address. A key that has worked from the address within the hour keeps working
 * while the address is blocked, so that one bad client behind a shared address does not lock out the others.
 */
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
      const name = `${network} ${identity}`;
      if (failures.size > 0) {
        const times = failedAt(network);
        const last = worked.get(name) ?? -Infinity;
        if (times.length >= limit && now() - last > trustedMs) throw held(times[0]!);
      }
      worked.set(name, now());
    },
    fail(address) {
      const network = networkOf(address);
      const times = failedAt(network);
      // Refused requests do not count, so a held address is let in again by waiting.
      if (times.length >= limit) throw held(times[0]!);
      failures.set(network, [...times, now()]);
    },
    standing(address) {
      const times = failedAt(networkOf(address));
      return { limit, remaining: Math.max(0, limit - times.length), resetSeconds: secondsLeft(times[0] ?? now()) };
    },
  };
};
