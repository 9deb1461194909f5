/** The receiver of webhooks in a process of its own: notes when each post came. */
import { serveCommands } from './child.ts';
import { Count } from './count.ts';
import { hearPosts } from './posts.ts';

interface Arrival {
  readonly deviceId: number;
  /** The name that tells the event from all others. */
  readonly name: string;
  /** ms since the epoch. */
  readonly at: number;
}

const arrivals: Arrival[] = [];
let count = 0;
const come = new Count();

interface Body {
  readonly deviceId: number;
  readonly data: { readonly messageId?: string; readonly message?: { readonly text: string } };
}

/** Answers at once; under `/dead` never. */
const hear = (path: string, body: string): boolean => {
  if (path === '/dead') return false;
  const at = performance.timeOrigin + performance.now();
  const { deviceId, data } = JSON.parse(body) as Body;
  count += 1;
  come.add();
  arrivals.push({ deviceId, name: data.message?.text ?? data.messageId ?? '', at });
  return true;
};

serveCommands({
  start: () => hearPosts(hear),
  count: () => count,
  heard: (more: number) => come.more(more),
  arrivals: () => arrivals.splice(0),
});

export type { Arrival };
