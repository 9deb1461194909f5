/** The attacks, by name. */
import type { Attack } from './attack.ts';
import { media, previews, proxies, webhooks } from './hosts.ts';
import { pages } from './pages.ts';
import { card, poison, settled, unicode } from './stranger.ts';
import { streams } from './streams.ts';
import { unread } from './unread.ts';

export const attacks: readonly Attack[] = [
  card,
  poison,
  pages,
  unread,
  unicode,
  previews,
  settled,
  webhooks,
  media,
  proxies,
  streams,
];
