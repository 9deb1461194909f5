/** Channels and their posts as callers see them (docs/spec/channels.md). */
import type { Channel, KeptPost } from '../../domain/channels/channel.ts';
import { iso, isoOrNull, noted } from '../../domain/event-view.ts';

export const channelView = ({ invite, createdAt, ...channel }: Channel) => ({
  jid: channel.jid,
  name: channel.name,
  description: channel.description,
  link: invite === null ? null : `https://whatsapp.com/channel/${invite}`,
  role: channel.role,
  state: channel.state,
  followers: channel.followers,
  verified: channel.verified,
  reactions: channel.reactions,
  muted: channel.muted,
  createdAt: isoOrNull(createdAt),
});

export const postView = ({ timestamp, media, ...post }: KeptPost) => ({
  ...post,
  media: noted(media),
  timestamp: iso(timestamp),
});
