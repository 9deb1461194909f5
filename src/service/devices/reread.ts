/** Reads the stored messages of unknown kind of a device anew, page by page (docs/spec/messages.md, Message log). */
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';

/** Messages in one step: their bytes are in memory together. */
const pageSize = 200;

/** The outcome of one page. */
export interface Reread {
  /** How many messages of unknown kind it had. */
  readonly unknown: number;
  /** How many of them have their content now. */
  readonly translated: number;
  readonly nextCursor: string | null;
}

export const rereadMessages = async (
  { stores, network }: LiveParts,
  { id }: DeviceScope,
  cursor: string | null,
): Promise<Reread> => {
  const { items, nextCursor } = await stores.messages.list(id, { limit: pageSize, cursor });
  const unknown = items.filter(({ type, content }) => type === 'unknown' && content !== null);
  const changes = await network.reread(id, unknown);
  const translated = changes.messageChanges?.length ?? 0;
  if (translated > 0) await stores.credentials.commit(id, changes);
  return { unknown: unknown.length, translated, nextCursor };
};
