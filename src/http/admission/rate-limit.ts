/** Limits per minute (docs/spec/http-interface.md, Limits): an exact sliding window for each user, and failed authentications for each address. */
import type { FastifyReply } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import { HandsetError } from '../../errors.ts';

export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the oldest request of the window no longer counts and one more is accepted. */
  readonly resetSeconds: number;
}

export interface RateVerdict extends Standing {
  readonly allowed: boolean;
}

/** In memory here; a shared store can stand in for it. */
export interface RateLimiter {
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

/** A monotonic time: a clock that is set back must not lock anybody out. Only differences count. */
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

/** Times of accepted requests of the last minute, oldest first, starting at `first`. */
interface RequestTimes {
  times: number[];
  first: number;
}

/** Any minute holds at most `limit` accepted requests of a user. Refused requests do not count. */
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
/** Addresses remembered; an attacker with more is not stopped by an address limit. */
const max = 20_000;

/** An IPv6 network is one client: a host has 2^64 addresses. */
export const networkOf = (address: string): string => {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
};

/**
 * Limits failed authentications per minute and address. A key that worked from the address within the hour keeps working while the address
 * is blocked, so that one bad client behind a shared address does not lock out the others.
 */
export const guessLimit = (limit: number, clock: Clock) => {
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
    /** Throws RateLimited after one too many. */
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
