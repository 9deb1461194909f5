/** Reads the network's descriptions of channels (whatsmeow `types.NewsletterMetadata`, 33cfac51, 2026-08). */
import {
  type Channel,
  type ChannelReactions,
  type ChannelRole,
  type ChannelState,
} from '../../domain/channels/channel.ts';
import { isChannelJid } from '../../domain/jid.ts';
import type { Json } from '../socket/mex.ts';
import { cutOrNull, maxName } from '../translate/parts/kind.ts';

const maxDescription = 8_192;
const maxInvite = 64;
/** The end of the year 9999, in seconds. */
const lastSecond = 253_402_300_799;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const memberOf = (value: unknown, ...path: readonly string[]): unknown => {
  let found = value;
  for (const name of path) {
    if (!isObject(found)) return undefined;
    found = found[name];
  }
  return found;
};

const textIn = (value: unknown, longest = maxName): string | null =>
  typeof value === 'string' && value !== '' ? cutOrNull(value, longest) : null;

const countIn = (value: unknown): number | null => {
  const count = typeof value === 'string' && value.length <= 16 && value !== '' ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
};

const roles: Readonly<Record<string, ChannelRole>> = { OWNER: 'owner', ADMIN: 'admin', SUBSCRIBER: 'follower' };

const states: Readonly<Record<string, ChannelState>> = {
  ACTIVE: 'active',
  SUSPENDED: 'suspended',
  GEOSUSPENDED: 'geosuspended',
  DELETED: 'deleted',
  NON_EXISTING: 'deleted',
};

const reactions: Readonly<Record<string, ChannelReactions>> = { ALL: 'all', BASIC: 'basic', NONE: 'none' };

const mutes: Readonly<Record<string, boolean>> = { ON: true, OFF: false };

const named = <T>(table: Readonly<Record<string, T>>, value: unknown): T | null =>
  typeof value === 'string' && Object.hasOwn(table, value) ? table[value]! : null;

/** Among the settings, where WhatsApp Web looks for it (whatsapp-rust, 2026-11), or beside the role (whatsmeow). */
const mutedIn = (viewer: unknown): boolean | null => {
  const settings = memberOf(viewer, 'settings');
  const own = Array.isArray(settings)
    ? settings.slice(0, 16).find((each) => memberOf(each, 'type') === 'MUTE_ADMIN_ACTIVITY')
    : undefined;
  return named(mutes, memberOf(own, 'value') ?? memberOf(viewer, 'mute'));
};

export const jidIn = (described: unknown): string | null => {
  const jid = memberOf(described, 'id');
  return typeof jid === 'string' && isChannelJid(jid) ? jid : null;
};

export const stateIn = (described: unknown): ChannelState =>
  named(states, memberOf(described, 'state', 'type')) ?? 'unknown';

/** The members that a notice of a change has. */
export const wordsIn = (described: unknown): Partial<Pick<Channel, 'name' | 'description'>> => {
  const name = memberOf(described, 'thread_metadata', 'name', 'text');
  const description = memberOf(described, 'thread_metadata', 'description', 'text');
  return {
    ...(typeof name === 'string' && { name: textIn(name) }),
    ...(typeof description === 'string' && { description: textIn(description, maxDescription) }),
  };
};

/** Null if malformed. */
export const readChannel = (described: unknown): Channel | null => {
  const jid = jidIn(described);
  if (jid === null) return null;
  const thread = memberOf(described, 'thread_metadata');
  const seconds = countIn(memberOf(thread, 'creation_time'));
  return {
    jid,
    name: textIn(memberOf(thread, 'name', 'text')),
    description: textIn(memberOf(thread, 'description', 'text'), maxDescription),
    invite: textIn(memberOf(thread, 'invite'), maxInvite),
    role: named(roles, memberOf(described, 'viewer_metadata', 'role')) ?? 'guest',
    state: stateIn(described),
    followers: countIn(memberOf(thread, 'subscribers_count')),
    verified: memberOf(thread, 'verification') === 'VERIFIED',
    reactions: named(reactions, memberOf(thread, 'settings', 'reaction_codes', 'value')),
    muted: mutedIn(memberOf(described, 'viewer_metadata')),
    createdAt: seconds === null || seconds === 0 || seconds > lastSecond ? null : seconds * 1000,
  };
};
